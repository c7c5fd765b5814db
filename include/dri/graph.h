/*
 * Graphs: what each process computes and exchanges in a frame, described before anything runs.
 *
 * A graph is a set of nodes, arrays of one process: inputs, constants, values that calls compute, arrays that
 * other processes send, and ports of whole transfers. Every process builds its own graph. DRI_graph_partition
 * (dri/graph_plan.h) matches and checks all of them together and makes a plan; dri/graph_run.h executes it.
 *
 * Nodes are dense and row-major. A port has the extents and the layout of its endpoint, overlap included. Shapes
 * do not change; a size may be 0. A call runs once a frame and a node is written once.
 *
 * What no root reaches does not exist: it is neither sent nor computed. Roots are outputs, source ports, and calls
 * without outputs. Nothing in this header communicates. One thread uses a graph at a time.
 */
#ifndef DRI_GRAPH_H
#define DRI_GRAPH_H

#include <dri/group.h>
#include <dri/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint64_t id;
} DRI_Graph;

/* An array in the graph of one process, a send, or a port. It stays valid for the graph's plan. */
typedef struct {
    uint64_t id;
} DRI_Node;

/* What a call is given in a frame. The arrays belong to the plan and are valid until the call returns. */
typedef struct DRI_Call {
    int64_t frame; /* number of the frame on this process, from 0 */

    /*
     * What travels with the frame. A call without inputs may fill in time_ns, bytes and data, if the plan has
     * `stream`; other processes find it there. Every other call finds what came first in its part.
     */
    DRI_Frame *about;
    int nout, nin;         /* numbers of nodes */
    void *const *out;      /* address of each node that the call writes, in the order of DRI_graph_call */
    const void *const *in; /* address of each node that it reads; not to be written */
    int64_t reserved[4];   /* 0 */
} DRI_Call;

/*
 * A function of the user's. It reads and writes the nodes of its call. It waits for no process and no transfer.
 *
 * It returns DRI_SUCCESS. A call without inputs may return DRI_END_OF_STREAM: there is no such frame, nor a later
 * one. Any other code breaks the run, see DRI_plan_run. What it writes besides its outputs is its own affair; a
 * node that it leaves alone has undefined contents.
 */
typedef int (*DRI_Call_fn)(void *context, DRI_Call *call);

/*
 * Makes a graph without nodes.
 *
 * Local.
 * group: the processes whose graphs are partitioned together. Processes are named by their rank of the world.
 * graph: receives the handle; null on error.
 * Errors: DRI_ERR_ARG for NULL, and if the calling process is not in the group;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY, DRI_ERR_STATE.
 */
DRI_API int DRI_graph_create(DRI_Group group, DRI_Graph *graph);

/*
 * Adds an array that the user gives for each run, see DRI_plan_set_input.
 *
 * Local.
 * name: 1 to DRI_MAX_NAME bytes, one input each; copied.
 * shape: a GDO of the array's sizes and type, whole on this process. It may be destroyed afterwards, as all
 *        handles that functions of this header take.
 * node: receives the node; null on error.
 * Errors: DRI_ERR_ARG for NULL and a name out of range;
 *         DRI_ERR_DUPLICATE if the graph has an input of that name;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY;
 *         DRI_ERR_STATE, also after DRI_graph_partition.
 */
DRI_API int DRI_graph_input(DRI_Graph graph, const char *name, DRI_Gdo shape, DRI_Node *node);

/*
 * Adds a constant.
 *
 * Local.
 * data: the user's array, read where it lies until the plan is destroyed. It must not change from the commit on.
 *       May be NULL if the array has no elements.
 * Errors: as in DRI_graph_input.
 */
DRI_API int DRI_graph_data(DRI_Graph graph, DRI_Gdo shape, const void *data, DRI_Node *node);

/*
 * Adds an array that one call writes. The plan provides its memory.
 *
 * Local.
 * Errors: as in DRI_graph_input.
 */
DRI_API int DRI_graph_value(DRI_Graph graph, DRI_Gdo shape, DRI_Node *node);

/*
 * Adds a call: a function that reads nodes and writes nodes.
 *
 * Local.
 * name: 1 to DRI_MAX_NAME bytes, for messages and pictures; copied. Several calls may have one name.
 * fn: the function; not NULL.
 * context: passed to the function unchanged. It stays valid until the plan is destroyed.
 * nout, out: values and source ports that no other call writes, each once.
 * nin, in: any nodes but sends. A node may be there several times. A source port may be read after it is written.
 * Errors: DRI_ERR_ARG for NULL and a name out of range;
 *         DRI_ERR_ARG for a node that is none of this graph's, or that cannot be read or written;
 *         DRI_ERR_ARG for a node in out that is written already;
 *         DRI_ERR_HANDLE, DRI_ERR_MEMORY;
 *         DRI_ERR_STATE as in DRI_graph_input.
 */
DRI_API int DRI_graph_call(DRI_Graph graph, const char *name, DRI_Call_fn fn, void *context, int nout,
                           const DRI_Node out[], int nin, const DRI_Node in[]);

/*
 * Adds an array that another process sends.
 *
 * An operation is named by its two processes and its tag: each may be sent once and received once in a frame.
 *
 * Local.
 * src: rank of the sender.
 * tag: 1 to DRI_MAX_NAME bytes; copied. Tags are names, not tags of MPI.
 * shape: sizes and type; those of the node that is sent are the same.
 * Errors: as in DRI_graph_input;
 *         DRI_ERR_ARG if src is not in the graph's group.
 */
DRI_API int DRI_graph_recv(DRI_Graph graph, int src, const char *tag, DRI_Gdo shape, DRI_Node *node);

/*
 * Sends a node to another process. Nothing is sent unless the send is an output, or is reached by its staple.
 *
 * Local.
 * data: an input, a constant, a value, a received node, or a staple of one. Ports are sent by their transfers.
 * dest, tag: as src and tag of DRI_graph_recv.
 * send: receives the node, for DRI_graph_staple and DRI_graph_output; null on error.
 * Errors: as in DRI_graph_call;
 *         DRI_ERR_ARG if dest is not in the graph's group.
 */
DRI_API int DRI_graph_send(DRI_Graph graph, DRI_Node data, int dest, const char *tag, DRI_Node *send);

/*
 * Adds a node that has the value of another one and keeps a send alive: who reads it reaches the send.
 * DRI_graph_output of the send does the same without a staple.
 *
 * Local.
 * send: what DRI_graph_send returned.
 * to: any node with a value. It need not have to do with the send.
 * same: receives the node; null on error.
 * Errors: as in DRI_graph_call.
 */
DRI_API int DRI_graph_staple(DRI_Graph graph, DRI_Node send, DRI_Node to, DRI_Node *same);

/*
 * Adds the source port of a named transfer between groups: a node that a call writes and that all processes of the
 * source hand over together in each frame.
 *
 * Every process of the distribution's group has this port in its graph, otherwise the partition is refused. The
 * port is a root.
 *
 * Local.
 * name: of the transfer, as in DRI_xfer_create. Transfers of a plan do not meet those of DRI_commit.
 * dist: the calling process must be in its group.
 * layout: how the part lies in memory.
 * node: receives the node; null on error.
 * Errors: as in DRI_xfer_create;
 *         DRI_ERR_DUPLICATE if the graph has a source port of that name;
 *         DRI_ERR_STATE as in DRI_graph_input.
 */
DRI_API int DRI_graph_source(DRI_Graph graph, const char *name, DRI_Dist dist, DRI_Layout layout, DRI_Node *node);

/*
 * Adds a sink port of a named transfer: a node in which the process's part of each frame arrives.
 *
 * A name may have several sinks, each with its own distribution, and a process may be in several of them. Every
 * process of the distribution's group has this port in its graph and reads it or names it as an output: a sink
 * port that no root reaches does not exist.
 *
 * Local.
 * Errors: as in DRI_graph_source, but several sink ports may have one name.
 */
DRI_API int DRI_graph_sink(DRI_Graph graph, const char *name, DRI_Dist dist, DRI_Layout layout, DRI_Node *node);

/*
 * Sets an attribute of a port, as DRI_xfer_set_attr does for an endpoint.
 *
 * A sink with DRI_DROP needs a plan with `stream`, and must be the only one that receives in its process's graph.
 *
 * Local.
 * Errors: as in DRI_xfer_set_attr;
 *         DRI_ERR_ARG for a node that is no port;
 *         DRI_ERR_UNSUPPORTED for DRI_ATTR_STREAM, DRI_ATTR_TIMEOUT_MS and DRI_ATTR_PROGRESS_THREAD: see the plan;
 *         DRI_ERR_UNSUPPORTED for DRI_ATTR_IN_PLACE, DRI_ATTR_REBASE, DRI_ATTR_REBIND and DRI_ATTR_BUFFER_BYTES;
 *         DRI_ERR_UNSUPPORTED for DRI_ATTR_EVERY and DRI_ATTR_PHASE: all nodes have the same frames;
 *         DRI_ERR_STATE as in DRI_graph_input.
 */
DRI_API int DRI_graph_set_attr(DRI_Graph graph, DRI_Node port, DRI_Attr attr, int64_t value);

/*
 * Sets the scale of a sink port, as DRI_xfer_set_scale does for an endpoint.
 *
 * Local.
 * Errors: as in DRI_xfer_set_scale, and as in DRI_graph_set_attr.
 */
DRI_API int DRI_graph_set_scale(DRI_Graph graph, DRI_Node sink, double scale);

/*
 * Marks a node as stored: it is computed as late as the sends that depend on it allow, see DRI_plan_part_of.
 *
 * Local.
 * node: any node but a send. Of a staple the node that it stands for is marked.
 * Errors: as in DRI_graph_call.
 */
DRI_API int DRI_graph_store(DRI_Graph graph, DRI_Node node);

/*
 * Names an output of the whole computation. Its value can be read after each run, see DRI_plan_get_output.
 *
 * Local.
 * name: 1 to DRI_MAX_NAME bytes; copied. A node may have several names.
 * node: any node. Of a send it is the data that is sent, and the send is kept.
 * Errors: as in DRI_graph_call;
 *         DRI_ERR_ARG for a name out of range;
 *         DRI_ERR_DUPLICATE if the graph has an output of that name.
 */
DRI_API int DRI_graph_output(DRI_Graph graph, const char *name, DRI_Node node);

/*
 * Destroys a graph's handle. A plan that was made from it stays as it is.
 *
 * Local.
 * graph: set to null on success.
 * Errors: DRI_ERR_HANDLE, DRI_ERR_ARG, DRI_ERR_STATE.
 */
DRI_API int DRI_graph_destroy(DRI_Graph *graph);

#ifdef __cplusplus
}
#endif
#endif
