/*
 * Distributed arrays as a compiler or a program of array statements sees them: default partitions, targets,
 * bounding boxes and cores by arithmetic, arrays over memory that exists, and pieces.
 *
 * An array of a shape has the domain [0, n) along each dimension. Its dense indices are its indices. A *position*
 * is an index in a slice's own index space, from 0. The *target* of a process is a box of positions: what it
 * computes, or asks for. The *parts* of a process are left halo, owned elements and right halo along dimension 0.
 * Halos are copies of what other processes own. All three together are its *window*. An array without dimensions
 * has one part.
 *
 * A *piece* is a handle of an array too. Each process holds in it what it asked for, and nobody promises that the
 * owned parts of all processes are the whole array. Queries and operations on what is held take pieces. Calls that
 * need all elements, such as DRI_assign and loops, refuse them with DRI_ERR_ARG on all processes.
 *
 * Slices have positive strides here.
 */
#ifndef DRI_PIECE_H
#define DRI_PIECE_H

#include <dri/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The indices from offset to offset + size along each dimension, or positions. Empty in one dimension is empty. */
typedef struct DRI_Box {
    int64_t offset[DRI_MAX_DIMS]; /* the first index */
    int64_t size[DRI_MAX_DIMS];   /* how many follow each other */
} DRI_Box;

/*
 * Operations on elements. Operands of one operation have the same type. Comparisons give DRI_UINT8, 0 or 1. ABS,
 * REAL, IMAG and MAG2 of complex numbers give real ones. The others give the type of their operands.
 *
 * Integers wrap around in ADD, SUB, MUL, NEG and ABS. An integer divided by 0 gives 0. DIV of integers rounds
 * towards minus infinity, and MOD has the sign of the divisor, as in Python. MIN and MAX of a NaN give a NaN.
 * ROUND rounds halves to even. ADD, SUB, MUL, DIV and SQRT of real numbers are those of IEEE 754; the other
 * functions lie within 4 units in the last place.
 */
typedef enum DRI_Op {
    DRI_OP_COPY = 0, /* 1 operand; all types */
    DRI_OP_ADD = 1,  /* 2; all types */
    DRI_OP_SUB = 2,
    DRI_OP_MUL = 3,
    DRI_OP_DIV = 4,
    DRI_OP_EQ = 5,
    DRI_OP_NE = 6,
    DRI_OP_NEG = 7,    /* 1; not unsigned integers */
    DRI_OP_MIN = 8,    /* 2; real types */
    DRI_OP_MAX = 9,    /* 2; real types */
    DRI_OP_LT = 10,    /* 2; real types */
    DRI_OP_LE = 11,    /* 2; real types */
    DRI_OP_GT = 12,    /* 2; real types */
    DRI_OP_GE = 13,    /* 2; real types */
    DRI_OP_ABS = 14,   /* 1; real and complex types */
    DRI_OP_MOD = 15,   /* 2; real types */
    DRI_OP_AND = 16,   /* 2; integers */
    DRI_OP_OR = 17,    /* 2; integers */
    DRI_OP_XOR = 18,   /* 2; integers */
    DRI_OP_NOT = 19,   /* 1; integers: all bits */
    DRI_OP_SQRT = 20,  /* 1; float, double and complex */
    DRI_OP_EXP = 21,   /* 1; float, double and complex */
    DRI_OP_LOG = 22,   /* 1; float, double */
    DRI_OP_SIN = 23,   /* 1; float, double */
    DRI_OP_COS = 24,   /* 1; float, double */
    DRI_OP_TANH = 25,  /* 1; float, double */
    DRI_OP_POW = 26,   /* 2; float, double */
    DRI_OP_ATAN2 = 27, /* 2; float, double */
    DRI_OP_FLOOR = 28, /* 1; float, double */
    DRI_OP_ROUND = 29, /* 1; float, double */
    DRI_OP_CONJ = 30,  /* 1; complex */
    DRI_OP_REAL = 31,  /* 1; complex */
    DRI_OP_IMAG = 32,  /* 1; complex */
    DRI_OP_MAG2 = 33,  /* 1; complex: the square of the magnitude */
    DRI_OP_SUM = 1     /* ADD, as reductions call it */
} DRI_Op;

/*
 * Computes the default partition: dimension 0 in blocks whose sizes differ by one at most, larger ones last. Other
 * dimensions are whole.
 *
 * Local, any time.
 * nprocs: processes, >= 1.
 * member: 0 <= member < nprocs.
 * ndims: 0 to DRI_MAX_DIMS. Without dimensions nothing is written.
 * shape: one size per dimension, >= 0.
 * part: set to the indices of the member.
 * Errors: DRI_ERR_ARG; the message names the argument and its value.
 * Source: Dist, dist.default_partition.
 */
DRI_API int DRI_default_partition(int nprocs, int member, int ndims, const int64_t shape[], DRI_Box *part);

/*
 * Computes which positions of a slice a process holds, and where they lie there.
 *
 * Local, any time.
 * ndims: 0 to DRI_MAX_DIMS.
 * held: dense indices: the owned box, or the window.
 * slice: one range per dimension, of dense indices, strides >= 1.
 * local: set to the distance of the first of these elements from held->offset; 0 where the target is empty. One
 *        number per dimension, or NULL.
 * target: set to the positions. An empty one has the position at which its elements would stand.
 * Errors: DRI_ERR_ARG; the message has the dimension and the values;
 *         DRI_ERR_OVERFLOW.
 * Source: Dist, dist.local_target_of_slice. `local` is the RFC's offset, target->offset that of its
 *         implementation.
 */
DRI_API int DRI_target_of_slice(int ndims, const DRI_Box *held, const DRI_Range slice[], int64_t local[],
                                DRI_Box *target);

/*
 * Computes the least box of dense indices with all that a view reads at a target.
 *
 * Per dimension with range f, s, m and target t, c the view has k = max(0, min(t + c, m) - t) elements there. They
 * lie in [f + t s, f + t s + (k - 1) s + 1); without any the size is 0.
 *
 * Local, any time.
 * view: one range per dimension, of dense indices, strides >= 1.
 * target: positions of the view.
 * inner: 0: the hull of the box with `given`, where an empty one of the two is left out. Otherwise the
 *        intersection.
 * given: a box to begin with, or NULL. It may be `box`.
 * box: set to the result.
 * Errors: DRI_ERR_ARG; the message has the dimension and the values;
 *         DRI_ERR_OVERFLOW.
 * Source: Dist, dist.local_bounding_box.
 */
DRI_API int DRI_bounding_box(int ndims, const DRI_Range view[], const DRI_Box *target, int inner,
                             const DRI_Box *given, DRI_Box *box);

/*
 * Computes the positions of a target whose elements a process owns.
 *
 * Cores of several views of one array are intersected by passing each on as `given`. Positions are what shifted
 * views have in common; element f + i s belongs to position i.
 *
 * Local, any time.
 * owned: dense indices.
 * view: one range per dimension, of dense indices, strides >= 1.
 * target: positions of the view.
 * given: positions to intersect with, or NULL. It may be `core`.
 * core: set to the positions.
 * Errors: DRI_ERR_ARG; the message has the dimension and the values;
 *         DRI_ERR_OVERFLOW.
 * Source: Dist, dist.local_core. Its implementation's numbers are core minus target->offset.
 */
DRI_API int DRI_core(int ndims, const DRI_Box *owned, const DRI_Range view[], const DRI_Box *target,
                     const DRI_Box *given, DRI_Box *core);

/*
 * Makes an array of a shape in the default partition, filled with zeros.
 *
 * It is an array over a domain like any other. Address space before and behind the owned rows lets halos land
 * beside them. Without dimensions every process holds the one element, and the array is a piece.
 *
 * Collective over the group; synchronising. Local without dimensions.
 * ndims: 0 to DRI_MAX_DIMS.
 * shape: one size per dimension, >= 0.
 * type: of the elements.
 * group: its processes.
 * array: receives the handle; null on error.
 * Cost: that of DRI_array_create.
 * Errors: as in DRI_array_create;
 *         DRI_ERR_ARG for a shape that is none.
 */
DRI_API int DRI_array_create_shape(int ndims, const int64_t shape[], DRI_Type type, DRI_Group group,
                                   DRI_Array *array);

/*
 * Makes an array over memory of the caller, which each process describes as it is.
 *
 * Parts follow each other along dimension 0, in the order left halo, owned elements, right halo. Their sizes along
 * other dimensions are equal; a part that is empty may have any.
 *
 * The owned parts of all processes should be the whole array, each element once. The first call that communicates
 * checks that. Until then, and if they are not, the array is a piece.
 *
 * Local.
 * gdo: shape and type of the whole array.
 * group: its processes; the calling one is among them.
 * loffs: the index of the first element of the first part; one number per dimension.
 * nparts: 3, or 1 without dimensions.
 * parts: address, steps in elements and ranges[].size of each part; other fields do not count. The memory stays
 *        the caller's, and must stay valid until the last handle that uses it is destroyed.
 * array: receives the handle; null on error.
 * Errors: DRI_ERR_ARG for another number of parts, parts that do not follow each other or leave the array, memory
 *         that is not aligned, and a NULL address of a part with elements. The message has part, dimension,
 *         values;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY, DRI_ERR_STATE.
 * Source: Dist, dist.init_dist_array.
 */
DRI_API int DRI_array_init(DRI_Gdo gdo, DRI_Group group, const int64_t loffs[], int nparts, const DRI_View parts[],
                           DRI_Array *array);

/*
 * Returns where the parts of the calling process start: the position of the first element of the first part.
 *
 * Positions of an array are its dense indices. Those of a piece by DRI_array_subview are positions of its slice.
 *
 * Local.
 * array: an array or a piece with one box on the process.
 * loffs: capacity for one number per dimension. Where the process holds nothing it is the offset of its target.
 * Errors: DRI_ERR_UNSUPPORTED if the process has several boxes;
 *         DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 * Source: Dist, dist.local_offsets_of.
 */
DRI_API int DRI_array_get_loffs(DRI_Array array, int64_t loffs[]);

/*
 * Returns the parts of the calling process as memory: left halo, owned elements, right halo along dimension 0.
 *
 * What is written to the owned part is written to the array. An array that is no piece has empty halos.
 *
 * Local.
 * nparts: set to 3, or to 1 without dimensions.
 * parts: capacity for 3. Ranges are the elements' dense indices in the whole array. Views are true as long as the
 *        array.
 * Errors: as in DRI_array_get_loffs;
 *         DRI_ERR_UNSUPPORTED for an array on a device.
 * Source: Dist, dist.parts_of.
 */
DRI_API int DRI_array_get_parts(DRI_Array array, int *nparts, DRI_View parts[]);

/*
 * Names the device that holds the calling process's parts. It is a label: calls that touch elements of an array on
 * another device than "host" return DRI_ERR_UNSUPPORTED, queries work. An update of halos that
 * is under way ends all the same.
 *
 * Local.
 * array: of DRI_array_init.
 * device: at most 63 bytes; copied.
 * Errors: DRI_ERR_ARG for NULL, a longer name, and an array that is in the library's memory;
 *         DRI_ERR_HANDLE, DRI_ERR_STATE.
 * Source: Dist, the GPU environment.
 */
DRI_API int DRI_array_set_device(DRI_Array array, const char *device);

/*
 * Returns the name of the device: "host", or what DRI_array_set_device named.
 *
 * Local.
 * text: capacity for n bytes. A longer text is cut. The text always ends with a NUL byte.
 * Errors: DRI_ERR_ARG for NULL or n 0;
 *         DRI_ERR_HANDLE, DRI_ERR_STATE.
 */
DRI_API int DRI_array_get_device(DRI_Array array, char *text, size_t n);

/*
 * Makes a piece of what the calling process holds of a slice at a target, in the same memory.
 *
 * Each part of the piece has the elements of the part of the array that the slice has at the target.
 *
 * Local. Processes may have different targets.
 * array: an array or a piece with one box on the process.
 * slice: one range per dimension, of the array's domain; of a piece: of its positions. Strides >= 1.
 * target: positions of the slice. NULL: all, and of an array that is no piece the result is DRI_array_slice.
 * piece: receives the handle; null on error.
 * Errors: DRI_ERR_ARG for a range that leaves the array;
 *         DRI_ERR_UNSUPPORTED if the process has several boxes;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY, DRI_ERR_STATE.
 * Source: Dist, dist.subview.
 */
DRI_API int DRI_array_subview(DRI_Array array, const DRI_Range slice[], const DRI_Box *target, DRI_Array *piece);

/*
 * Makes a piece in which each process holds what it asks for.
 *
 * Nobody owns more than before: the owned part is what the process owns of its target, at the same addresses.
 * Halos are copies of what lies before and behind it along dimension 0. If a process owns nothing of its target,
 * all is in the right halo if it lies behind what it owns, otherwise in the left one. DRI_array_update_overlap of
 * the piece fetches the halos again; so do its halves.
 *
 * Halos lie beside the owned rows where there is space for them. Pieces of one array share it: an exchange of the
 * same rows refreshes older pieces, too. A program that wants a snapshot makes a copy.
 *
 * Collective over the array's processes; not synchronising when the plan is known.
 * array: an array or an alias with one box on each process, or an array of DRI_array_init.
 * target: what this process asks for: positions of the array, or an empty box. NULL on all processes: the default
 *         partition.
 * piece: receives the handle; null on error.
 * Cost: a plan the first time. With the same targets on all processes: one exchange of their digest and one of the
 *       halos. 16 plans are kept for an array; the least recently used one goes.
 * Errors: on all processes: DRI_ERR_ARG for a target that leaves the array on any, and for a piece;
 *         DRI_ERR_GAP, DRI_ERR_OVERLAP if the parts of DRI_array_init are not the array;
 *         DRI_ERR_UNSUPPORTED if a process has several boxes;
 *         DRI_ERR_MISMATCH if processes disagree about the array;
 *         DRI_ERR_TIMEOUT if a process does not call; the message names it. The same call goes on;
 *         DRI_ERR_STATE if one of another array over the same processes has timed out, which still exists;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY, DRI_ERR_STATE, DRI_ERR_TRANSPORT.
 * Source: Dist, dist.repartition.
 */
DRI_API int DRI_array_repartition(DRI_Array array, const DRI_Box *target, DRI_Array *piece);

/*
 * Applies an operation with one operand to what the calling process holds.
 *
 * Local.
 * op: an operation with one operand.
 * a: an array or a piece with one box on the process, of a type that the operation has.
 * target: positions of a that the process computes; it must hold them all. NULL: all parts, halos, too.
 * core: positions that are computed before an update of overlap of `a` that has been started is waited for. It
 *       must touch owned elements only. NULL: none.
 * result: receives a piece in memory of the library, with parts like those of a at the target; null on error.
 * Errors: DRI_ERR_ARG for a target that is not held; the message has what is missing;
 *         DRI_ERR_UNSUPPORTED for a type that the operation does not have, a device, and several boxes;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY, DRI_ERR_STATE.
 * Source: Dist, dist.ewuny.
 */
DRI_API int DRI_array_ewuny(DRI_Op op, DRI_Array a, const DRI_Box *target, const DRI_Box *core, DRI_Array *result);

/*
 * Applies an operation with two operands to what the calling process holds.
 *
 * Local.
 * op: an operation with two operands.
 * a, b: as in DRI_array_ewuny, of one type. Equal positions meet. Dimensions align at the right; one of size 1,
 *       and one that an operand does not have, is broadcast.
 * target, core, result: as in DRI_array_ewuny. Parts are those of the first operand that is not broadcast along
 *                       dimension 0. Without a target both must hold the same positions.
 * Errors: as in DRI_array_ewuny;
 *         DRI_ERR_ARG for types that differ and shapes that do not fit.
 * Source: Dist, dist.ewbin.
 */
DRI_API int DRI_array_ewbin(DRI_Op op, DRI_Array a, DRI_Array b, const DRI_Box *target, const DRI_Box *core,
                            DRI_Array *result);

#ifdef __cplusplus
}
#endif
#endif
