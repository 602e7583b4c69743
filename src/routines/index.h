// Elements selected by masks and arrays of positions: the family of functions that cp_device_ops.index points
// to, and their arguments. Addresses are the device's; strides are in bytes.
#ifndef CP_ROUTINES_INDEX_H
#define CP_ROUTINES_INDEX_H

#include "base/dtype.h"
#include "base/shape.h"
#include "device/device.h"

// ---- masks ----

// A mask is contiguous bytes; any byte but 0 is true. Its offsets are int64: for each tile of CP_MASK_TILE
// bytes the number of true elements before it in its group of tiles; for each group the number before it; and
// the total number.
enum { CP_MASK_TILE = 4096, CP_MASK_GROUP = 16 };
static inline int64_t cp_mask_tiles(int64_t size) { return size / CP_MASK_TILE + (size % CP_MASK_TILE != 0); }
static inline int64_t cp_mask_groups(int64_t size) {
  int64_t tiles = cp_mask_tiles(size);
  return tiles / CP_MASK_GROUP + (tiles % CP_MASK_GROUP != 0);
}
static inline int64_t cp_mask_offsets(int64_t size) { return cp_mask_tiles(size) + cp_mask_groups(size) + 1; }

typedef enum cp_compaction_kind {
  CP_COMPACT_READ,     // value[j] = base[p], where p is the position of true element j
  CP_COMPACT_WRITE,    // base[p] = value[j]
  CP_COMPACT_POSITIONS // value[j] = p's coordinates, int64, counted from 1
} cp_compaction_kind;

typedef struct cp_compaction {
  cp_compaction_kind kind;
  const char *mask, *offsets;
  int64_t size, count; // elements of the mask; true elements
  size_t itemsize;
  char *base, *value;
  int64_t base_stride, value_stride; // per element of the mask; per true element
  int ndim;                          // POSITIONS: the mask's axes (at least 1) and their lengths,
  int64_t shape[CP_MAXDIM];          // and the stride between the coordinates of an element
  int64_t coordinate_stride;
} cp_compaction;

// ---- positions ----

typedef enum cp_lookup_kind {
  CP_LOOKUP_READ,  // value = element
  CP_LOOKUP_WRITE, // element = value
  CP_LOOKUP_ADD,   // element = element + value, and so on; an element that is selected twice gets both
  CP_LOOKUP_MAX,
  CP_LOOKUP_MIN
} cp_lookup_kind;

// One array of positions, counted from 1, or from the end when negative.
typedef struct cp_index_array {
  const char *base;
  int64_t length, stride; // of the axis that they select from
  int axis;               // its number from 1 on, for messages; 0: the flattened array
  int64_t strides[CP_MAXDIM];
} cp_index_array;

// Where the elements that a lookup may select lie: at low + unit * k bytes from base, 0 <= k < extent.
typedef struct cp_reach {
  int64_t unit, low, extent;
} cp_reach;

// Whether and how several positions of a write may select the same element and write different values to it.
typedef struct cp_rivals {
  bool any;     // if false, nothing below is set
  bool tangled; // elements of base overlap in memory
  // bit mask of the axes along which base moves but no array of positions does: indices that differ only
  // there select in the same way
  uint32_t kept;
  int64_t places; // number of indices, without those axes
  cp_reach reach; // without those axes
} cp_rivals;

// For every index of a shape: one element of base, whose address is the sum of the strides and of the offsets
// that the positions select; and one element of value. If several indices select the same element and kind is
// WRITE, the last one in C order is kept: always on the CPU, on a GPU where that is cheap or when `ordered`
// is set.
typedef struct cp_lookup {
  cp_lookup_kind kind;
  // all indices are known to select different elements, or it does not matter which value is kept
  bool distinct;
  cp_dtype dtype;
  size_t itemsize; // READ and WRITE may copy several elements as one
  char *base, *value, *scratch;
  int64_t value_start; // offset of the first index in value, in bytes
  int ndim;
  int64_t size, shape[CP_MAXDIM], base_strides[CP_MAXDIM], value_strides[CP_MAXDIM];
  int count;
  cp_dtype positions_dtype; // int32 or int64, for all arrays of positions
  cp_index_array positions[CP_MAXDIM];
  bool ordered;
  cp_rivals rivals;           // of a write, on devices that need it
  const char *where, *site;   // the function and the script's line, for errors that are found later
  struct cp_selected *shared; // the same for a pending value, whose errors are reported once; or NULL
} cp_lookup;

// Merges axes, and drops those along which all but the last value would be overwritten. Needs no addresses.
void cp_lookup_collapse(cp_lookup *l);
// The reach of l without the axes in the bit mask `except`; call cp_lookup_collapse first.
cp_reach cp_lookup_reach(const cp_lookup *l, uint32_t except);
// Sets l->rivals; call cp_lookup_collapse first.
void cp_lookup_find_rivals(cp_lookup *l);
// Merges neighbouring elements that are always copied together. Needs the addresses.
void cp_lookup_widen(cp_lookup *l);

typedef struct cp_index_ops {
  // Computes the offsets of a mask of `size` bytes, and waits for the count.
  cp_status (*scan)(cp_context *ctx, cp_stream *s, const char *mask, int64_t size, char *offsets,
                    int64_t *count);
  cp_status (*compact)(cp_context *ctx, cp_stream *s, const cp_compaction *c);
  // Optional: a bit for each of `size` bytes of a mask, eight to a byte, of which the first is the highest
  // bit or, if `little`, the lowest. The last byte is filled up with zeros.
  cp_status (*pack)(cp_context *ctx, cp_stream *s, const char *mask, int64_t size, bool little, char *bits);
  // A position out of range is CP_EINDEX: at once on a device that computes at once, and then nothing is
  // written. On others such positions are skipped (READ takes the nearest element), and the stream's next
  // synchronisation fails.
  cp_status (*lookup)(cp_context *ctx, cp_stream *s, const cp_lookup *l);
  // Optional, as the device may write in order anyway: bytes of l->scratch that a write needs, from l->rivals
  // and without addresses.
  size_t (*write_scratch)(const cp_lookup *l);
  // x[mask] = values read through the same mask is computed over all of x if at least one element in
  // spread_share is true, or if the mask has at most spread_size elements: then the launches that compact and
  // scatter would cost more.
  int64_t spread_share, spread_size;
} cp_index_ops;

// CP_EINDEX for position i on an axis of this length. site: the script's line, or NULL.
cp_status cp_fail_position(const char *where, const char *site, int64_t i, int axis, int64_t length);

#endif
