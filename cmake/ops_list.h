// Preprocessed by cmake/ops.cmake: the rows of kernels/ops.def that the loops of one kind of dtypes have.
// With CP_LIST defined as the column of the kind, LIST_r, LIST_i, LIST_b or LIST_c:
//   OP(name, arity, expression, first, second, others, loop, result)     OP_FAST likewise, for real ones
//   RED(as in the table)
// With CP_NAMES only names:  OP(name)  RED(name)
#if defined(CP_NAMES)
#define OP(name, ...)  OP(name)
#define RED(name, ...) RED(name)
#else
#define CAT_(a, b)         a##b
#define CAT(a, b)          CAT_(a, b)
#define SECOND_(a, b, ...) b
#define SECOND(...)        SECOND_(__VA_ARGS__)
#define ABSENT_NA          ~, 1
#define ABSENT_NO          ~, 1
#define IS_ABSENT(expr)    SECOND(CAT(ABSENT_, expr), 0, 0) // 1 for the columns NA and NO
#define LIST_r(r, i, b, c) r
#define LIST_i(r, i, b, c) i
#define LIST_b(r, i, b, c) b
#define LIST_c(r, i, b, c) c
#define COLUMN(...)        CP_LIST(__VA_ARGS__)
#define ROW_1(...)
#define ROW_0(row, ...) row(__VA_ARGS__)
#define MAKE(what, ...) what(__VA_ARGS__)
#define ROW(row, name, arity, cls, column)                                                                   \
  MAKE(CAT(ROW_, IS_ABSENT(column)), row, name, arity, column, CLASS_##cls)
#define OP(name, arity, cls, scope, numeric, ...) ROW(OP, name, arity, cls, COLUMN(__VA_ARGS__))
#if defined(CP_FAST)
#define OP_FAST(name, arity, cls, scope, numeric, ...) ROW(OP_FAST, name, arity, cls, COLUMN(__VA_ARGS__))
#endif
#define RED(...) RED(__VA_ARGS__)
#endif
#include "../kernels/ops.def"
