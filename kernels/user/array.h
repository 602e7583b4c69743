// `raw` arrays of user kernels: x[i] by linear index in C order, x[{i, j}] or x[positions] by one index per
// dimension, with any strides. Nothing is checked. CONTIGUOUS: C-contiguous.

template <typename T, int NDIM, bool CONTIGUOUS> class cp_raw {
  char *data_;
  long long size_;
  cp_signed64 shape_[NDIM > 0 ? NDIM : 1], strides_[NDIM > 0 ? NDIM : 1];

  CP_METHOD T *at(long long i) const {
    if (CONTIGUOUS || NDIM == 0) return (T *)data_ + i;
    if (NDIM == 1) return (T *)(data_ + i * strides_[0]);
    char *p = data_;
    if (size_ <= 0x7fffffff) { // 32-bit divisions are much cheaper
      unsigned rest = (unsigned)i;
      for (int d = NDIM - 1; d > 0; d--) {
        const unsigned length = (unsigned)shape_[d], q = rest / length;
        p += (long long)(rest - q * length) * strides_[d];
        rest = q;
      }
      return (T *)(p + (long long)rest * strides_[0]);
    }
    for (int d = NDIM - 1; d > 0; d--) {
      p += i % shape_[d] * strides_[d];
      i /= shape_[d];
    }
    return (T *)(p + i * strides_[0]);
  }

  template <typename I> CP_METHOD T *find(const I *positions) const {
    char *p = data_;
    for (int d = 0; d < NDIM; d++) p += (long long)positions[d] * strides_[d];
    return (T *)p;
  }

public:
  static const int ndim = NDIM;

  // Slots: address, size, lengths, strides, as in src/plan/params.h.
  CP_METHOD explicit cp_raw(const unsigned long long *slots)
      : data_((char *)slots[0]), size_((long long)slots[1]) {
    for (int d = 0; d < NDIM; d++) {
      shape_[d] = (cp_signed64)slots[2 + d];
      strides_[d] = (cp_signed64)slots[2 + NDIM + d];
    }
  }
  CP_METHOD long long size() const { return size_; }
  CP_METHOD const cp_signed64 *shape() const { return shape_; }
  CP_METHOD const cp_signed64 *strides() const { return strides_; } // in bytes
  CP_METHOD T *data() const { return (T *)data_; }

  CP_METHOD T &operator[](long long i) const { return *at(i); }
  template <typename I> CP_METHOD T &operator[](const I *positions) const { return *find(positions); }
  CP_METHOD T &operator[](const cp_signed64 (&positions)[NDIM > 1 ? NDIM : 2]) const {
    return *find((const cp_signed64 *)positions);
  }
};
