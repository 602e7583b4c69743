// Keys and kernels of plans before they run, and the images of bundles (precompile.h).
#include "cuda/run/precompile.h"

#include "cuda/driver/cuda.h"
#include "cuda/run/joint.h"
#include "cuda/run/rows.h"

#include <string.h>

// Numbers of multiprocessors for which plans that run on the CPU are recorded: of a usual, of the smallest
// and of the largest GPU. How a reduction is spread depends on them, and a bundle must serve all.
enum { USUAL_SM_COUNT = 132, LEAST_SM_COUNT = 10, MOST_SM_COUNT = 200 };

static cp_status note(cp_context *ctx, const cp_plan *p, int sm_count) {
  cp_strbuf *to = ctx->generator.keys;
  cp_plan *arranged;
  cp_key key;
  CP_TRY(cp_plan_take(ctx, &arranged));
  *arranged = *p;
  cp_cuda_arrange(sm_count, arranged, &key);
  cp_plan_give(ctx, arranged);
  cp_strbuf_append(to, &key.size, sizeof key.size);
  cp_strbuf_append(to, key.bytes, key.size);
  return to->failed ? cp_no_memory(NULL) : CP_OK;
}

static cp_status record(cp_context *ctx, int own_arch, const cp_plan *p, int sm_count) {
  cp_plan *arranged;
  cp_key key;
  CP_TRY(cp_plan_take(ctx, &arranged));
  *arranged = *p;
  cp_cuda_arrange(sm_count, arranged, &key);
  cp_status status = cp_cuda_record_plan(ctx, own_arch, arranged, &key);
  cp_plan_give(ctx, arranged);
  return status;
}

cp_status cp_precompile_plan(cp_context *ctx, const cp_device *device, const cp_plan *p) {
  const cp_cuda_device *gpu =
      strcmp(device->ops->kind, "cuda") == 0 ? (const cp_cuda_device *)(const void *)device : NULL;
  int sm_count = gpu != NULL ? gpu->sm_count : USUAL_SM_COUNT, own_arch = gpu != NULL ? gpu->arch : 0;
  if (ctx->generator.keys != NULL) CP_TRY(note(ctx, p, sm_count));
  if (!cp_recording() || (gpu == NULL && cp_record_archs(NULL) == 0)) return CP_OK;
  if (gpu == NULL) CP_TRY(record(ctx, 0, p, sm_count)); // GPUs record what they load
  if (p->nred == 0) return CP_OK;
  CP_TRY(record(ctx, own_arch, p, LEAST_SM_COUNT));
  return record(ctx, own_arch, p, MOST_SM_COUNT);
}

cp_status cp_precompile_phases(cp_context *ctx, const cp_device *device, const cp_plan *p, bool *takes) {
  if (strcmp(device->ops->kind, "cuda") == 0) return CP_OK;
  bool taken = cp_cuda_takes_rows(p) || cp_cuda_joins(p), runs = *takes;
  *takes = taken && runs;
  return taken && !runs ? cp_precompile_plan(ctx, device, p) : CP_OK;
}

// ---- images -----------------------------------------------------------------------------------------------

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
