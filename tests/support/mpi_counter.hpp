// Counts the MPI calls that move data or create objects, and can make sends late. It defines these functions in
// front of MPI's own, so only one source file of a program may include it.
#pragma once

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace dri::test {

struct MpiCalls {
    std::atomic<long> messages = 0;      // sends and receives; persistent ones when started
    std::atomic<long> collectives = 0;   // collective calls, and whatever else waits for other processes
    std::atomic<long> questions = 0;     // tests and waits for one or some of several requests
    std::atomic<long> communicators = 0; // created and not freed
    std::atomic<long> types = 0;         // committed and not freed
    std::atomic<long> unreceived = 0;    // communicators freed with a message that nobody received
    std::atomic<int> pause_ms = 0;       // of this process before each MPI_Isend
    // If set, each MPI_Isend or MPI_Issend adds an s, and each test or wait, in which MPI may move messages, a
    // question mark. Other threads must not call MPI meanwhile.
    std::string *order = nullptr;
    void note(char call) {
        if (order)
            *order += call;
    }
};

inline MpiCalls mpi_calls;
inline long all_traffic() { return mpi_calls.messages + mpi_calls.collectives; }

} // namespace dri::test

// NOLINTBEGIN(misc-definitions-in-headers)
extern "C" {
using dri::test::mpi_calls;

int MPI_Send(const void *b, int n, MPI_Datatype t, int peer, int tag, MPI_Comm c) {
    ++mpi_calls.messages;
    return PMPI_Send(b, n, t, peer, tag, c);
}
int MPI_Ssend(const void *b, int n, MPI_Datatype t, int peer, int tag, MPI_Comm c) {
    ++mpi_calls.messages;
    return PMPI_Ssend(b, n, t, peer, tag, c);
}
int MPI_Isend(const void *b, int n, MPI_Datatype t, int peer, int tag, MPI_Comm c, MPI_Request *r) {
    mpi_calls.messages += peer != MPI_PROC_NULL; // to nobody: nothing moves
    if (const int ms = mpi_calls.pause_ms)
        std::this_thread::sleep_for(std::chrono::milliseconds(ms));
    mpi_calls.note('s');
    return PMPI_Isend(b, n, t, peer, tag, c, r);
}
int MPI_Issend(const void *b, int n, MPI_Datatype t, int peer, int tag, MPI_Comm c, MPI_Request *r) {
    ++mpi_calls.messages;
    mpi_calls.note('s');
    return PMPI_Issend(b, n, t, peer, tag, c, r);
}
int MPI_Recv(void *b, int n, MPI_Datatype t, int peer, int tag, MPI_Comm c, MPI_Status *s) {
    ++mpi_calls.messages;
    return PMPI_Recv(b, n, t, peer, tag, c, s);
}
int MPI_Irecv(void *b, int n, MPI_Datatype t, int peer, int tag, MPI_Comm c, MPI_Request *r) {
    ++mpi_calls.messages;
    return PMPI_Irecv(b, n, t, peer, tag, c, r);
}
int MPI_Mrecv(void *b, int n, MPI_Datatype t, MPI_Message *m, MPI_Status *s) {
    ++mpi_calls.messages;
    return PMPI_Mrecv(b, n, t, m, s);
}
int MPI_Imrecv(void *b, int n, MPI_Datatype t, MPI_Message *m, MPI_Request *r) {
    ++mpi_calls.messages;
    return PMPI_Imrecv(b, n, t, m, r);
}
int MPI_Iprobe(int peer, int tag, MPI_Comm c, int *flag, MPI_Status *s) {
    ++mpi_calls.messages;
    mpi_calls.note('?');
    return PMPI_Iprobe(peer, tag, c, flag, s);
}
int MPI_Improbe(int peer, int tag, MPI_Comm c, int *flag, MPI_Message *m, MPI_Status *s) {
    mpi_calls.note('?');
    return PMPI_Improbe(peer, tag, c, flag, m, s);
}
int MPI_Start(MPI_Request *r) {
    ++mpi_calls.messages;
    return PMPI_Start(r);
}
int MPI_Startall(int n, MPI_Request r[]) {
    ++mpi_calls.messages;
    return PMPI_Startall(n, r);
}
int MPI_Sendrecv(const void *a, int na, MPI_Datatype ta, int to, int tag_a, void *b, int nb, MPI_Datatype tb,
                 int from, int tag_b, MPI_Comm c, MPI_Status *s) {
    ++mpi_calls.messages;
    return PMPI_Sendrecv(a, na, ta, to, tag_a, b, nb, tb, from, tag_b, c, s);
}
int MPI_Test(MPI_Request *r, int *flag, MPI_Status *s) {
    mpi_calls.note('?');
    return PMPI_Test(r, flag, s);
}
int MPI_Testall(int n, MPI_Request r[], int *flag, MPI_Status s[]) {
    mpi_calls.note('?');
    return PMPI_Testall(n, r, flag, s);
}
int MPI_Wait(MPI_Request *r, MPI_Status *s) {
    mpi_calls.note('?');
    return PMPI_Wait(r, s);
}
int MPI_Waitall(int n, MPI_Request r[], MPI_Status s[]) {
    mpi_calls.note('?');
    return PMPI_Waitall(n, r, s);
}
int MPI_Testany(int n, MPI_Request r[], int *index, int *flag, MPI_Status *s) {
    ++mpi_calls.questions;
    mpi_calls.note('?');
    return PMPI_Testany(n, r, index, flag, s);
}
int MPI_Waitany(int n, MPI_Request r[], int *index, MPI_Status *s) {
    ++mpi_calls.questions;
    mpi_calls.note('?');
    return PMPI_Waitany(n, r, index, s);
}
int MPI_Testsome(int n, MPI_Request r[], int *done, int indices[], MPI_Status s[]) {
    ++mpi_calls.questions;
    mpi_calls.note('?');
    return PMPI_Testsome(n, r, done, indices, s);
}
int MPI_Waitsome(int n, MPI_Request r[], int *done, int indices[], MPI_Status s[]) {
    ++mpi_calls.questions;
    mpi_calls.note('?');
    return PMPI_Waitsome(n, r, done, indices, s);
}
int MPI_Barrier(MPI_Comm c) {
    ++mpi_calls.collectives;
    return PMPI_Barrier(c);
}
int MPI_Ibarrier(MPI_Comm c, MPI_Request *r) {
    ++mpi_calls.collectives;
    return PMPI_Ibarrier(c, r);
}
int MPI_Bcast(void *b, int n, MPI_Datatype t, int root, MPI_Comm c) {
    ++mpi_calls.collectives;
    return PMPI_Bcast(b, n, t, root, c);
}
int MPI_Allreduce(const void *a, void *b, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c) {
    ++mpi_calls.collectives;
    return PMPI_Allreduce(a, b, n, t, op, c);
}
int MPI_Reduce(const void *a, void *b, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm c) {
    ++mpi_calls.collectives;
    return PMPI_Reduce(a, b, n, t, op, root, c);
}
int MPI_Allgather(const void *a, int na, MPI_Datatype ta, void *b, int nb, MPI_Datatype tb, MPI_Comm c) {
    ++mpi_calls.collectives;
    return PMPI_Allgather(a, na, ta, b, nb, tb, c);
}
int MPI_Allgatherv(const void *a, int na, MPI_Datatype ta, void *b, const int nb[], const int at[],
                   MPI_Datatype tb, MPI_Comm c) {
    ++mpi_calls.collectives;
    return PMPI_Allgatherv(a, na, ta, b, nb, at, tb, c);
}
int MPI_Alltoall(const void *a, int na, MPI_Datatype ta, void *b, int nb, MPI_Datatype tb, MPI_Comm c) {
    ++mpi_calls.collectives;
    return PMPI_Alltoall(a, na, ta, b, nb, tb, c);
}
int MPI_Alltoallv(const void *a, const int na[], const int aa[], MPI_Datatype ta, void *b, const int nb[],
                  const int ab[], MPI_Datatype tb, MPI_Comm c) {
    ++mpi_calls.collectives;
    return PMPI_Alltoallv(a, na, aa, ta, b, nb, ab, tb, c);
}
int MPI_Comm_dup(MPI_Comm c, MPI_Comm *out) {
    ++mpi_calls.collectives;
    ++mpi_calls.communicators;
    return PMPI_Comm_dup(c, out);
}
int MPI_Comm_split(MPI_Comm c, int color, int key, MPI_Comm *out) {
    ++mpi_calls.collectives;
    mpi_calls.communicators += color != MPI_UNDEFINED;
    return PMPI_Comm_split(c, color, key, out);
}
int MPI_Comm_split_type(MPI_Comm c, int type, int key, MPI_Info info, MPI_Comm *out) {
    ++mpi_calls.collectives;
    mpi_calls.communicators += type != MPI_UNDEFINED;
    return PMPI_Comm_split_type(c, type, key, info, out);
}
int MPI_Comm_create(MPI_Comm c, MPI_Group g, MPI_Comm *out) {
    ++mpi_calls.collectives;
    const int code = PMPI_Comm_create(c, g, out);
    mpi_calls.communicators += *out != MPI_COMM_NULL;
    return code;
}
int MPI_Comm_create_group(MPI_Comm c, MPI_Group g, int tag, MPI_Comm *out) {
    ++mpi_calls.collectives;
    const int code = PMPI_Comm_create_group(c, g, tag, out);
    mpi_calls.communicators += *out != MPI_COMM_NULL;
    return code;
}
int MPI_Comm_free(MPI_Comm *c) {
    --mpi_calls.communicators;
    int unreceived = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, *c, &unreceived, MPI_STATUS_IGNORE);
    mpi_calls.unreceived += unreceived;
    return PMPI_Comm_free(c);
}
int MPI_Type_commit(MPI_Datatype *t) {
    ++mpi_calls.types;
    return PMPI_Type_commit(t);
}
int MPI_Type_free(MPI_Datatype *t) {
    --mpi_calls.types;
    return PMPI_Type_free(t);
}
}
// NOLINTEND(misc-definitions-in-headers)
