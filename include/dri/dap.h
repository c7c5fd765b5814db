/*
 * The Distributed Array Protocol (DAP): descriptions of distributed arrays that several libraries share.
 *
 * A library that has a distributed array describes its local part: a buffer, and for each dimension how the whole
 * array is distributed. Another library reads the description and works on the same memory. This header has the
 * description in C, checks it, and converts it from and to distributions. It follows version 0.10 of the text.
 *
 * Unlike a DRI_Part_tuple, a DRI_Dap_dim counts its padding between `start` and `stop`. Padding is of two kinds.
 * Communication padding holds copies of elements that a neighbour in the process grid owns. Boundary padding lies
 * at the outer side of the first and the last process of a dimension. It belongs to that process and to the array.
 *
 * The processes of a description are numbered as the positions in a group. The grid's last dimension varies
 * fastest.
 *
 * The functions that are labelled "any time" need neither DRI_init nor MPI. They never communicate.
 */
#ifndef DRI_DAP_H
#define DRI_DAP_H

#include <dri/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the protocol that this library writes. It reads all versions 0.x.y. */
#define DRI_DAP_VERSION "0.10.0"

/* The keys of a dimension. DRI_Dap_dim.keys is a sum of those that the dimension has. */
typedef enum DRI_Dap_key {
    DRI_DAP_SIZE = 1,         /* size */
    DRI_DAP_GRID_SIZE = 2,    /* proc_grid_size */
    DRI_DAP_GRID_RANK = 4,    /* proc_grid_rank */
    DRI_DAP_START = 8,        /* start */
    DRI_DAP_STOP = 16,        /* stop */
    DRI_DAP_PADDING = 32,     /* padding */
    DRI_DAP_PERIODIC = 64,    /* periodic */
    DRI_DAP_BLOCK_SIZE = 128, /* block_size */
    DRI_DAP_INDICES = 256,    /* indices */
    DRI_DAP_ONE_TO_ONE = 512  /* one_to_one */
} DRI_Dap_key;

/*
 * One dimension of the part of one process. A zero-initialised one is the empty dimension {} of the protocol: not
 * distributed, and as long as the buffer.
 *
 * 'b' needs size, proc_grid_size, proc_grid_rank, start and stop, and may have padding and periodic. 'c' needs the
 * first three and start, and may have block_size. 'u' needs the first three and indices, and may have one_to_one.
 * Fields whose key is not set, and keys of other kinds of dimensions, are ignored.
 */
typedef struct DRI_Dap_dim {
    int32_t dist_type; /* 'b' block, 'c' cyclic or block-cyclic, 'u' unstructured; 0 for {} */
    uint32_t keys;     /* sum of DRI_Dap_key */

    /*
     * Sum of DRI_Dap_key: keys that are there with a value that C cannot hold, such as a size of 50.0. It is for
     * bindings of other languages; C programs leave it 0. Such a key breaks a rule of its own.
     */
    uint32_t unreadable;

    int32_t proc_grid_size; /* processes along this dimension, >= 1 */
    int32_t proc_grid_rank; /* which of them this is, from 0 */
    int32_t periodic;       /* 'b': 0 or 1 */
    int32_t one_to_one;     /* 'u': 0 or 1; 1: no index is in the lists of two processes along this dimension */
    int64_t size;           /* elements of the whole array along this dimension; boundary padding counts */
    int64_t start;          /* 'b', 'c': first index of this process; padding counts */
    int64_t stop;           /* 'b': one past its last index; padding counts */
    int64_t padding[2];     /* 'b': elements of padding at the start and at the end of the buffer */
    int64_t block_size;     /* 'c': consecutive indices of a block, >= 1; without its key 1 */
    const int64_t *indices; /* 'u': nindices different global indices, in the order of the buffer */
    int64_t nindices;       /* 'u': their number, >= 0 */
    int64_t reserved[4];    /* 0 */
} DRI_Dap_dim;

/* The part of one process of a distributed array. */
typedef struct DRI_Dap {
    char version[16];            /* such as "0.10.0"; "" is DRI_DAP_VERSION */
    void *buffer;                /* the first element of the local array; NULL only if it has no elements */
    size_t itemsize;             /* bytes from one element to the next; 0: there is no buffer, which is a fault */
    int32_t readonly;            /* 1: the buffer must not be written */
    int32_t ndims;               /* dimensions of the buffer and of dim_data, 0 to DRI_MAX_DIMS */
    int64_t shape[DRI_MAX_DIMS]; /* elements of the buffer along each dimension, padding included */
    int64_t strides[DRI_MAX_DIMS];      /* bytes from one element to the next one along each dimension */
    DRI_Dap_dim dim_data[DRI_MAX_DIMS]; /* how the whole array is distributed along each dimension */

    /*
     * The memory of the lists `indices`, if DRI_dap_export has made them. DRI_dap_free frees it. NULL in
     * descriptions that a program fills itself: its lists stay the program's. The buffer never belongs to the
     * description.
     */
    void *owner;
    int64_t reserved[8]; /* 0 */
} DRI_Dap;

/*
 * The rules of the protocol, in the order in which the library looks for faults. Where several are broken, the
 * fault is that of the smallest number. Rules up to DRI_DAP_RULE_SHAPE concern one description, the others those
 * of all processes. Some of the former can be broken in a dictionary only, and never by a DRI_Dap.
 */
typedef enum DRI_Dap_rule {
    DRI_DAP_VALID = 0,                    /* no fault */
    DRI_DAP_RULE_MISSING_KEY = 1,         /* a key that the kind of dimension needs, or the buffer, is missing */
    DRI_DAP_RULE_EXTRA_KEY = 2,           /* dictionaries: an unknown key beside the three */
    DRI_DAP_RULE_VERSION = 3,             /* the version is malformed, or its major number is not 0 */
    DRI_DAP_RULE_BUFFER = 4,              /* the buffer is NULL though it has elements */
    DRI_DAP_RULE_DIST_TYPE = 5,           /* dist_type is unknown */
    DRI_DAP_RULE_TYPE = 6,                /* dictionaries: a number is no integer */
    DRI_DAP_RULE_SIZE = 7,                /* size is negative */
    DRI_DAP_RULE_PROC_GRID_SIZE = 8,      /* proc_grid_size is below 1 */
    DRI_DAP_RULE_PROC_GRID_RANK = 9,      /* proc_grid_rank is negative, or not below proc_grid_size */
    DRI_DAP_RULE_START = 10,              /* start is negative */
    DRI_DAP_RULE_STOP_LT_START = 11,      /* stop is below start */
    DRI_DAP_RULE_STOP_GT_SIZE = 12,       /* stop is above size */
    DRI_DAP_RULE_START_RANK0 = 13,        /* 'b': the first process does not start at 0 */
    DRI_DAP_RULE_START_CYCLIC = 14,       /* 'c': start is neither proc_grid_rank * block_size, nor size or more */
    DRI_DAP_RULE_PADDING = 15,            /* padding is negative, no pair, or exceeds [start, stop) */
    DRI_DAP_RULE_PERIODIC = 16,           /* periodic is neither 0 nor 1 */
    DRI_DAP_RULE_BLOCK_SIZE = 17,         /* block_size is below 1 */
    DRI_DAP_RULE_ONE_TO_ONE = 18,         /* one_to_one is neither 0 nor 1 */
    DRI_DAP_RULE_INDICES_BUFFER = 19,     /* indices is NULL, its length is negative, or it is no integer buffer */
    DRI_DAP_RULE_INDICES_NOT_UNIQUE = 20, /* an index occurs twice in indices */
    DRI_DAP_RULE_NDIM = 21,               /* ndims is out of range; dictionaries: there are more or fewer of them
                                             than dimensions */
    DRI_DAP_RULE_SHAPE = 22,              /* the buffer has more or fewer elements than the dimension says */
    DRI_DAP_RULE_GROUP_NDIM = 23,         /* "ndim": processes have different numbers of dimensions */
    DRI_DAP_RULE_DIST_TYPE_DISAGREES = 24, /* processes have different kinds of a dimension */
    DRI_DAP_RULE_SIZE_DISAGREES = 25,      /* processes have different sizes */
    DRI_DAP_RULE_GRID_PRODUCT = 26,        /* the grid has more or fewer positions than there are processes, or
                                              processes have different grids */
    DRI_DAP_RULE_ROW_MAJOR = 27,           /* a process is not at its position in the grid */
    DRI_DAP_RULE_AXIS_IDENTICAL = 28,      /* processes with one proc_grid_rank have different values. Boundary
                                              padding may differ */
    DRI_DAP_RULE_PADDING_COUNTERPART = 29, /* 'b': the padding of two neighbours towards each other differs */
    DRI_DAP_RULE_PADDING_TOO_WIDE = 30,    /* 'b': the padding has more elements than the neighbour owns */
    DRI_DAP_RULE_GAP = 31,                 /* 'b': between two neighbours is an index that none owns */
    DRI_DAP_RULE_OVERLAP = 32,             /* 'b': two neighbours own an index */
    DRI_DAP_RULE_COVERAGE = 33,            /* 'b', 'c': processes together do not own all of the dimension */
    DRI_DAP_RULE_GROUP_ONE_TO_ONE = 34 /* "one_to_one": an index is in two lists, or processes disagree on it */
} DRI_Dap_rule;

/* What is wrong with a description. */
typedef struct DRI_Dap_fault {
    DRI_Dap_rule rule; /* DRI_DAP_VALID: nothing */
    int32_t dim;       /* the dimension, or -1 */

    /*
     * The process, or -1 if there is only one. In DRI_dap_check_all it is the position in `all`, in DRI_dap_check
     * the rank of the world.
     */
    int32_t process;
    int32_t other;       /* a second process that takes part in the fault, or -1 */
    int64_t value;       /* the value in question, 0 if it is no number */
    int64_t limit;       /* what it is compared with, 0 if there is nothing */
    const char *name;    /* of the rule, such as "stop_gt_size"; static; "" for none */
    const char *key;     /* of the value, such as "stop"; static; "" for none */
    char message[256];   /* such as "dimension 0: stop is 51, but size is 50"; "" for none; longer ones are cut */
    int64_t reserved[4]; /* 0 */
} DRI_Dap_fault;

/* What DRI_dap_import makes objects for. */
typedef enum DRI_Dap_view {
    DRI_DAP_SOURCE = 1, /* a source of the elements that each process owns */
    DRI_DAP_SINK = 2,   /* a sink of all elements that each process holds: communication padding arrives filled */
    DRI_DAP_UPDATE = 3  /* both endpoints of the transfer in place that fills the padding */
} DRI_Dap_view;

/*
 * Checks one description.
 *
 * Local, any time.
 * fault: filled in if not NULL, also if there is none.
 * Cost: some nanoseconds for each dimension; of an unstructured one, sorting its list.
 * Errors: DRI_ERR_ARG for a fault; the message is that of the fault;
 *         DRI_ERR_ARG for NULL;
 *         DRI_ERR_MEMORY.
 * Source: DAP 1.5 and 1.6.
 */
DRI_API int DRI_dap_validate(const DRI_Dap *dap, DRI_Dap_fault *fault);

/*
 * Checks one dimension.
 *
 * Local, any time.
 * number: the dimension's number, for the fault.
 * extent: elements of the buffer along the dimension, or -1 if there is no buffer.
 * fault: filled in if not NULL, also if there is none.
 * Errors: as in DRI_dap_validate.
 * Source: DAP 1.6.
 */
DRI_API int DRI_dap_validate_dim(const DRI_Dap_dim *dim, int number, int64_t extent, DRI_Dap_fault *fault);

/*
 * Replaces each empty dimension {} by what it stands for: 'b' over one process, as long as the buffer.
 *
 * Local, any time.
 * dap: changed in place. Other dimensions stay as they are.
 * Errors: DRI_ERR_ARG for NULL, and for a number of dimensions or a shape out of range.
 * Source: DAP 1.6.3.
 */
DRI_API int DRI_dap_write_out(DRI_Dap *dap);

/*
 * Checks the descriptions of all processes of an array against each other.
 *
 * Of each description it reads ndims, dim_data, and shape for empty dimensions. A buffer is not needed. A faulty
 * dimension is reported with the rule of DRI_dap_validate_dim, before all others.
 *
 * Local, any time.
 * n: number of processes, >= 1.
 * all: their descriptions, in the order of the process grid.
 * fault: filled in if not NULL, also if there is none.
 * Cost: linear in n and in the lengths of lists. Lists of dimensions with one_to_one are sorted.
 * Errors: DRI_ERR_MISMATCH for a fault between processes; the message is that of the fault;
 *         DRI_ERR_ARG for a fault of one dimension, for NULL, and for n below 1;
 *         DRI_ERR_MEMORY.
 * Source: DAP 1.6.
 */
DRI_API int DRI_dap_check_all(int n, const DRI_Dap all[], DRI_Dap_fault *fault);

/*
 * Checks the descriptions of the processes of a group: each one, and against each other.
 *
 * Collective over the group; synchronising.
 * mine: the calling process's. Its position in the group is its number in the process grid.
 * fault: filled in if not NULL, also if there is none; the same on all processes.
 * Cost: one exchange, O(log P) steps and about 100 bytes for each process and dimension. With one_to_one two
 *       more, in which each process receives the lists of all.
 * Errors: DRI_ERR_ARG on all processes if the description of one has a fault; the message names the process;
 *         DRI_ERR_MISMATCH for a fault between processes;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY;
 *         DRI_ERR_STATE, DRI_ERR_TIMEOUT and DRI_ERR_PEER as in DRI_group_gather.
 * Source: DAP 1.6.
 */
DRI_API int DRI_dap_check(const DRI_Dap *mine, DRI_Group group, DRI_Dap_fault *fault);

/*
 * Returns the number of indices that the process owns along a dimension. Communication padding does not count.
 *
 * The first owned position in the buffer is padding[0] of a 'b' dimension whose proc_grid_rank is not 0, otherwise
 * 0.
 *
 * Local, any time.
 * n: set to the number.
 * Errors: DRI_ERR_ARG for NULL, for an empty dimension {}, and for a fault of the dimension. Lists are not checked
 *         for repeated indices.
 * Source: DAP, num_owned_indices. A short last block of a block-cyclic dimension counts for the process that has
 *         it.
 */
DRI_API int DRI_dap_owned(const DRI_Dap_dim *dim, int64_t *n);

/*
 * Returns the position of a global index in the buffer. Padding counts.
 *
 * Local, any time.
 * index: global.
 * local: set to its position along the dimension, from 0.
 * Cost: a few divisions; for 'u' linear in the list.
 * Errors: DRI_ERR_ARG for an index that the process does not hold;
 *         DRI_ERR_ARG as in DRI_dap_owned.
 * Source: DAP 1.4, "a map object".
 */
DRI_API int DRI_dap_local_index(const DRI_Dap_dim *dim, int64_t index, int64_t *local);

/*
 * Returns the global index at a position of the buffer. Padding counts.
 *
 * Local, any time.
 * local: position along the dimension, from 0.
 * index: set to the global index.
 * Errors: DRI_ERR_ARG for a position outside the buffer;
 *         DRI_ERR_ARG as in DRI_dap_owned.
 * Source: DAP 1.4, "a map object".
 */
DRI_API int DRI_dap_global_index(const DRI_Dap_dim *dim, int64_t local, int64_t *index);

/*
 * Describes the part of any process of a distribution.
 *
 * Blocks, sizes and weights become 'b', as do exact pieces that form a grid. Dimensions that are not cut become
 * 'b' over one process. Block-cyclic dimensions become 'c', or 'u' if their first block is not that of the first
 * part. Lists become 'u'. Overlap becomes padding. If the group holds the data k times, the first dimension
 * becomes 'u' over a grid that is k times as long. A subset is described as an array of its own.
 *
 * Local.
 * rank: a process of the distribution's group.
 * layout: gives the strides.
 * buffer: that process's local array, overlap included; it is not read. May be NULL: the description then has no
 *         buffer yet.
 * boundary: for each dimension how much of the array at its two ends is boundary padding, in elements; each
 *           process receives what is its own. May be NULL.
 * periodic: for each dimension 0 or 1. May be NULL.
 * dap: filled in; to be freed by DRI_dap_free. Zeros on error.
 * Cost: O(log) of the number of parts for each dimension. With overlap one step for each part of the dimension.
 *       With exact pieces one for each process of the group. Lists are copied.
 * Errors: DRI_ERR_UNSUPPORTED for what the protocol cannot say; the message names dimension and values;
 *         DRI_ERR_UNSUPPORTED thus for overlap on cyclic or indexed dimensions, and for overlap beyond the array;
 *         DRI_ERR_UNSUPPORTED for overlap that is wider than a neighbour's part, or that differs on the two sides
 *         of a border;
 *         DRI_ERR_UNSUPPORTED for exact pieces that form no grid, split layouts, and copies without a dimension;
 *         DRI_ERR_ARG if boundary or periodic is out of range, or concerns a dimension that is not 'b';
 *         DRI_ERR_ARG for a rank outside the group, and as in DRI_layout_get_strides;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY, DRI_ERR_STATE.
 * Source: DAP 1.5.
 */
DRI_API int DRI_dap_export(DRI_Dist dist, int rank, DRI_Layout layout, void *buffer, const int64_t boundary[][2],
                           const int periodic[], DRI_Dap *dap);

/*
 * Frees the lists that DRI_dap_export has made, and fills the description with zeros. The buffer stays.
 *
 * A copy of a description names the same lists: free one of them only. Lists of the program are not freed.
 *
 * Local, any time, also after DRI_finalize.
 * dap: may be NULL, or zeros.
 * Errors: none.
 */
DRI_API int DRI_dap_free(DRI_Dap *dap);

/*
 * Makes the objects for an endpoint that works on a described array, where it lies. Nothing is copied.
 *
 * The processes first check their descriptions, as in DRI_dap_check. DRI_xfer_create then takes dist, layout, and
 * origin as the address of its only buffer.
 *
 * DRI_DAP_SOURCE and DRI_DAP_SINK give a distribution over the group. Both own the same elements, and boundary
 * padding is owned. Where the overlap of a distribution can say the padding, both have the same distribution. With
 * widths that differ beside 'c' or 'u', the source has no overlap, and the sink lists all indices that it holds.
 *
 * DRI_DAP_UPDATE gives a distribution over those processes of the group that have the caller's coordinates along
 * all 'c' and 'u' dimensions. Declare a source and a sink with it, in place, and commit both by DRI_commit_ends
 * over its group (DRI_dist_get_group). One frame then fills communication padding. In periodic dimensions it fills
 * boundary padding, too: that is no part of the array there, and holds copies from the other end. Owned elements
 * keep their addresses.
 *
 * Collective over the group; synchronising.
 * mine: the calling process's. Its position in the group is its number in the process grid.
 * type: the element type, whose pitch is itemsize.
 * view: the same on all processes.
 * dist, layout: receive handles of their own, to be destroyed; null on error.
 * origin: set to the address to pass as the buffer: mine->buffer, or behind its padding. NULL on error.
 * Cost: that of DRI_dap_check and DRI_dist_create.
 * Errors: those of DRI_dap_check and DRI_dist_create;
 *         DRI_ERR_MISMATCH if processes pass different views;
 *         DRI_ERR_MISMATCH if an index of a 'u' dimension is outside [0, size), see DRI_dap_relabel;
 *         DRI_ERR_MISMATCH in an update if the boundary padding or the period of a dimension differs;
 *         DRI_ERR_ARG on all processes if the type does not suit, if strides are negative, 0, no multiples of
 *         itemsize, or do not nest (DRI_layout_create), or if the buffer of a sink or an update is read-only.
 *         Strides of dimensions with one element do not matter.
 *         DRI_xfer_create then finds indices that two processes of a source own, or none.
 */
DRI_API int DRI_dap_import(const DRI_Dap *mine, DRI_Type type, DRI_Group group, DRI_Dap_view view, DRI_Dist *dist,
                           DRI_Layout *layout, void **origin);

/*
 * Numbers the labels of an unstructured dimension, so that they become indices of an array.
 *
 * The indices of a 'u' dimension may be any integers, such as node numbers of a mesh. A source and a sink with the
 * same labels are described anew: each label becomes its position among the sorted labels of the source. Replace
 * indices by these positions and size by n, and import both.
 *
 * Collective over scope; synchronising. All processes of both arrays are in it.
 * dim: the dimension, the same on all processes.
 * source, sink: the calling process's descriptions, or NULL if it has no part of that array.
 * source_at: capacity for one number per index of source, in its order. May be NULL if there are none.
 * sink_at: the same for sink.
 * n: set to the number of different labels of the source.
 * Cost: three exchanges. Each process receives the lists of all sources and sorts them.
 * Errors: DRI_ERR_MISMATCH on all processes if the source lacks a label of the sink, with label and process;
 *         DRI_ERR_MISMATCH on all processes if the dimension is not 'u' on one of them, or they pass different
 *         dimensions;
 *         DRI_ERR_ARG on all processes if a description has a fault, or a pointer is NULL;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY;
 *         DRI_ERR_STATE, DRI_ERR_TIMEOUT and DRI_ERR_PEER as in DRI_group_gather.
 */
DRI_API int DRI_dap_relabel(DRI_Group scope, int dim, const DRI_Dap *source, const DRI_Dap *sink,
                            int64_t *source_at, int64_t *sink_at, int64_t *n);

#ifdef __cplusplus
}
#endif
#endif
