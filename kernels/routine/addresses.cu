// Writes the addresses of the matrices of a batch into a list, for functions that take such lists.
//
// Slots: 0 the list, 1 address of the first, 2 bytes from one to the next, 3 their number
//
// variants: BLOCK=256

struct cp_slots { unsigned long long s[4]; };

extern "C" __global__ void __launch_bounds__(BLOCK) CP_ENTRY(const __grid_constant__ cp_slots p) {
  CP_AWAIT;
  const unsigned long long k = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;
  if (k < p.s[3]) reinterpret_cast<unsigned long long *>(p.s[0])[k] = p.s[1] + k * p.s[2];
}
