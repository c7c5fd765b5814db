#include "halo/counts.hpp"

#include <mpi.h>

#include <sys/resource.h>

namespace {

int64_t starts = 0, looks = 0; // one thread of the process calls MPI

} // namespace

namespace halo_bench {

Counts counts() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return {starts, looks, usage.ru_nvcsw + usage.ru_nivcsw};
}

} // namespace halo_bench

extern "C" {

int MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
    starts += to != MPI_PROC_NULL;
    return PMPI_Isend(data, n, type, to, tag, comm, request);
}

int MPI_Issend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
    ++starts;
    return PMPI_Issend(data, n, type, to, tag, comm, request);
}

int MPI_Irecv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
    ++starts;
    return PMPI_Irecv(data, n, type, from, tag, comm, request);
}

int MPI_Test(MPI_Request *request, int *done, MPI_Status *status) {
    ++looks;
    return PMPI_Test(request, done, status);
}

int MPI_Testsome(int n, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[]) {
    ++looks;
    return PMPI_Testsome(n, requests, done, indices, statuses);
}

int MPI_Testall(int n, MPI_Request requests[], int *done, MPI_Status statuses[]) {
    ++looks;
    return PMPI_Testall(n, requests, done, statuses);
}

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status statuses[]) {
    ++looks;
    return PMPI_Waitall(n, requests, statuses);
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *found, MPI_Status *status) {
    ++looks;
    return PMPI_Iprobe(from, tag, comm, found, status);
}

int MPI_Improbe(int from, int tag, MPI_Comm comm, int *found, MPI_Message *message, MPI_Status *status) {
    ++looks;
    return PMPI_Improbe(from, tag, comm, found, message, status);
}
}
