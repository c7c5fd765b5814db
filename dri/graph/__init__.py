"""Distributed graphs: what each process computes and exchanges, checked on all processes before anything runs.

There are two ways to write one. :class:`Graph` has nodes, functions and whole transfers, as a pipeline has. The other
functions are those of pytato: expressions of arrays with sends and receives, which are partitioned and executed.
"""

from __future__ import annotations

from .builder import Graph, GraphNode, Port, SendNode
from .call import Call
from .errors import (
    CycleError,
    DistributedPartitionVerificationError,
    DuplicateOutputError,
    DuplicateRecvError,
    DuplicateSendError,
    Fault,
    GraphError,
    MismatchError,
    MissingRecvError,
    MissingSendError,
    OwnOutputError,
    PartitionInducedCycleError,
    UndefinedInputError,
    UnsupportedError,
)
from .execute import PartProgram, execute_distributed_partition, generate_code_for_partition
from .levels import task_levels
from .nodes import (
    DataWrapper,
    DictOfNamedArrays,
    DistributedRecv,
    DistributedSend,
    DistributedSendRefHolder,
    ImplStored,
    Node,
    Placeholder,
    call,
    make_data_wrapper,
    make_dict_of_named_arrays,
    make_distributed_recv,
    make_distributed_send,
    make_placeholder,
    staple_distributed_send,
)
from .partition import (
    DistributedGraphPart,
    DistributedGraphPartition,
    find_distributed_partition,
    number_distributed_tags,
    verify_distributed_partition,
)
from .plan import GraphPart, Operation, PartTimes, Plan

__all__ = [
    "Call", "CycleError", "DataWrapper", "DictOfNamedArrays", "DistributedGraphPart", "DistributedGraphPartition",
    "DistributedPartitionVerificationError", "DistributedRecv", "DistributedSend", "DistributedSendRefHolder",
    "DuplicateOutputError", "DuplicateRecvError", "DuplicateSendError", "Fault", "Graph", "GraphError", "GraphNode",
    "GraphPart", "ImplStored", "MismatchError", "MissingRecvError", "MissingSendError", "Node", "Operation",
    "OwnOutputError", "PartProgram", "PartTimes", "PartitionInducedCycleError", "Placeholder", "Plan", "Port",
    "SendNode", "UndefinedInputError", "UnsupportedError", "call", "execute_distributed_partition",
    "find_distributed_partition", "generate_code_for_partition", "make_data_wrapper", "make_dict_of_named_arrays",
    "make_distributed_recv", "make_distributed_send", "make_placeholder", "number_distributed_tags",
    "staple_distributed_send", "task_levels", "verify_distributed_partition",
]  # fmt: skip
