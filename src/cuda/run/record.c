// Which images of a kernel are put into a bundle, and which of them a GPU can run.
#include "cuda/run/record.h"

int cp_cuda_record_targets(int own_arch, cp_record_target list[CP_MAX_ARCHS + 1]) {
  int archs[CP_MAX_ARCHS], n = cp_record_archs(archs), newest = 0;
  if (n == 0 && own_arch > 0) archs[n++] = own_arch;
  for (int k = 0; k < n; k++) {
    list[k] = (cp_record_target){archs[k], false};
    if (archs[k] > newest) newest = archs[k];
  }
  if (n > 0) list[n++] = (cp_record_target){newest, true};
  return n;
}

// The larger the better; negative: the GPU cannot run it.
static int fitness(int arch, const cp_image *image) {
  enum { MACHINE_CODE = 1 << 16 };
  if (image->arch > arch) return -1;
  if (image->ptx) return image->arch;
  return image->arch / 10 == arch / 10 ? MACHINE_CODE + image->arch : -1;
}

int cp_cuda_usable_images(int arch, int count, cp_image list[CP_MAX_IMAGES]) {
  int n = 0;
  for (int k = 0; k < count; k++) {
    cp_image image = list[k];
    int place = n;
    if (fitness(arch, &image) < 0) continue;
    for (; place > 0 && fitness(arch, &list[place - 1]) < fitness(arch, &image); place--)
      list[place] = list[place - 1];
    list[place] = image;
    n++;
  }
  return n;
}
