// Elements that masks and arrays of positions choose: the family of functions that cp_device_ops.index points to, and what they work on.
// Addresses are the device's; strides are in bytes.
#ifndef CP_ROUTINES_INDEX_H
#define CP_ROUTINES_INDEX_H

#include "base/dtype.h"
#include "base/shape.h"
#include "device/device.h"

// ---- masks ----

// A mask is bytes one after the other, true where they are not 0. Its offsets are int64: for each tile of so many bytes, how many true ones lie
// before it in its group of tiles; for each group, how many lie before it; and how many there are in all.
enum { CP_MASK_TILE = 4096, CP_MASK_GROUP = 16 };
static inline int64_t cp_mask_tiles(int64_t size) { return size / CP_MASK_TILE + (size % CP_MASK_TILE != 0); }
static inline int64_t cp_mask_groups(int64_t size) {
  int64_t tiles = cp_mask_tiles(size);
  return tiles / CP_MASK_GROUP + (tiles % CP_MASK_GROUP != 0);
}
static inline int64_t cp_mask_offsets(int64_t size) { return cp_mask_tiles(size) + cp_mask_groups(size) + 1; }

typedef enum cp_compaction_kind {
  CP_COMPACT_READ,     // value[j] = base[p], p the position of true element j
  CP_COMPACT_WRITE,    // base[p] = value[j]
  CP_COMPACT_POSITIONS // value[j] = p's coordinates, int64 from 1 on
} cp_compaction_kind;

typedef struct cp_compaction {
  cp_compaction_kind kind;
  const char *mask, *offsets;
  int64_t size, count; // of the mask; of its true elements
  size_t itemsize;
  char *base, *value;
  int64_t base_stride, value_stride; // from one element of the mask, or one true element, to the next
  int ndim;                          // POSITIONS: axes of the mask (1 at least), their lengths,
  int64_t shape[CP_MAXDIM];          // and from one coordinate of an element to its next
  int64_t coordinate_stride;
} cp_compaction;

// ---- positions ----

typedef enum cp_lookup_kind {
  CP_LOOKUP_READ,  // value = element
  CP_LOOKUP_WRITE, // element = value
  CP_LOOKUP_ADD,   // element = element + value, and so on: elements that are chosen twice get both
  CP_LOOKUP_MAX,
  CP_LOOKUP_MIN
} cp_lookup_kind;

// One array of positions, which count from 1, or from the end when negative.
typedef struct cp_index_array {
  const char *base;
  int64_t length, stride; // of the axis that they choose from
  int axis;               // its number from 1 on, for messages; 0: the flat array
  int64_t strides[CP_MAXDIM];
} cp_index_array;

// How places of a write may choose one element, and have different values for it.
typedef struct cp_rivals {
  bool any;     // else nothing below is set
  bool tangled; // elements of base share memory with others of it
  uint32_t
      kept; // bits of axes along which base moves and no position does: places that differ there alone choose in the same way
  int64_t places;            // without those axes
  int64_t unit, low, extent; // what they choose begins at low + unit * k bytes from base, 0 <= k < extent
} cp_rivals;

// At each place of a shape: one element of base, whose address is a sum over the axes of the shape and over what the positions choose there; and
// one of value. Where several places choose one element and kind is WRITE, the last one in C order is kept: on the CPU always, on a GPU where
// that is cheap, and when `ordered` is set.
typedef struct cp_lookup {
  cp_lookup_kind kind;
  bool distinct; // all places are known to choose different elements, or which one is kept does not matter
  cp_dtype dtype;
  size_t itemsize; // READ and WRITE may move several elements as one
  char *base, *value, *scratch;
  int64_t value_start; // of the first place: bytes behind value's first element
  int ndim;
  int64_t size, shape[CP_MAXDIM], base_strides[CP_MAXDIM], value_strides[CP_MAXDIM];
  int count;
  cp_dtype positions_dtype; // int32 or int64, of all of them
  cp_index_array positions[CP_MAXDIM];
  bool ordered;
  cp_rivals rivals;         // of a write, on devices that ask for them
  const char *where, *site; // the function and the line of the script, for errors that are found later
} cp_lookup;

// Merges axes that can be one, and leaves out those along which all but the last value would be overwritten. Needs no address.
void cp_lookup_collapse(cp_lookup *l);
// Sets l->rivals; behind cp_lookup_collapse.
void cp_lookup_find_rivals(cp_lookup *l);
// Merges neighbouring elements that always go together, once the addresses are known.
void cp_lookup_widen(cp_lookup *l);

typedef struct cp_index_ops {
  // Fills the offsets of a mask of `size` bytes, and waits for the count.
  cp_status (*scan)(cp_context *ctx, cp_stream *s, const char *mask, int64_t size, char *offsets,
                    int64_t *count);
  cp_status (*compact)(cp_context *ctx, cp_stream *s, const cp_compaction *c);
  // A position out of range is CP_EINDEX: at once where the device computes at once, and then nothing is written; else such places are
  // left out (READ takes the nearest element), and the stream's next synchronisation fails.
  cp_status (*lookup)(cp_context *ctx, cp_stream *s, const cp_lookup *l);
  // Bytes of l->scratch that a write needs, whose rivals are known and addresses not. NULL: the device writes in order by itself.
  size_t (*write_scratch)(const cp_lookup *l);
  // x[mask] = values that were read by the same mask is computed over all of x where one of so many elements is true, and where the mask has no
  // more elements than spread_size: there the launches of taking elements out and putting them back cost more.
  int64_t spread_share, spread_size;
} cp_index_ops;

// CP_EINDEX for position i on an axis of this length. site: NULL, or where the work was written.
cp_status cp_fail_position(const char *where, const char *site, int64_t i, int axis, int64_t length);

#endif
