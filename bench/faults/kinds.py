"""All kinds of faults by name."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from bench.faults import (
    binding_kinds,
    condition_kinds,
    document_kinds,
    edit_kinds,
    event_kinds,
    function_kinds,
    graph_kinds,
    limit_kinds,
    model_kinds,
    nested_kinds,
    operation_kinds,
    permission_kinds,
    replay_kinds,
    request_kinds,
    stream_kinds,
)
from bench.faults.seed import Bed, Fault, Kind


def _any(*kinds: Kind) -> Kind:
    def both(bed: Bed) -> Iterator[Fault]:
        for kind in kinds:
            yield from kind(bed)

    return both


FUNCTIONS: Final[dict[str, Kind]] = {
    "missing function": function_kinds.missing,
    "renamed function parameter": function_kinds.renamed_parameter,
    "renamed function result": function_kinds.renamed_result,
    "function that does not import": function_kinds.not_importable,
    "function that ends its process": function_kinds.dying,
    "function that returns another key": function_kinds.returning_other_key,
    "function with an unserialisable result": function_kinds.unserialisable,
    "misspelt stream output": function_kinds.misspelt_stream,
}
"""Faults in the text of functions; each needs a worker of its own."""

WRITTEN: Final[dict[str, Kind]] = {
    # What a widget is bound to
    "dropped binding": binding_kinds.dropped_binding,
    "misspelt binding": binding_kinds.misspelt_binding,
    "malformed token": binding_kinds.malformed_token,
    "swapped binding": binding_kinds.swapped_binding,
    "wrong operation of a binding": binding_kinds.wrong_operation_of_binding,
    "misspelt operation of a binding": binding_kinds.misspelt_operation_of_binding,
    "wrong state of a run": _any(binding_kinds.wrong_run_state, condition_kinds.inverted_state),
    "wrong node kind": binding_kinds.wrong_node_kind,
    "write widget on an output": binding_kinds.input_bound_to_output,
    "misspelt extra binding": binding_kinds.misspelt_extra_binding,
    "misspelt filter": binding_kinds.misspelt_filter,
    "misspelt name in a format": binding_kinds.misspelt_format_name,
    # Events
    "removed event": event_kinds.removed_event,
    "wrong trigger": event_kinds.wrong_trigger,
    "event with wrong keys": event_kinds.lost_event_keys,
    "unknown event kind": event_kinds.unknown_event_kind,
    "misspelt operation of an event": event_kinds.misspelt_operation_of_event,
    "wrong operation of an event": event_kinds.wrong_operation_of_event,
    "cancel in place of run": event_kinds.cancel_for_run,
    "misspelt key of an event": event_kinds.misspelt_event_key,
    "removed event that sets a variable": event_kinds.lost_variable_event,
    "release without commit": event_kinds.impossible_release,
    # Conditions
    "unreachable condition": condition_kinds.unreachable_condition,
    "misspelt operation of a condition": condition_kinds.misspelt_operation_of_condition,
    "misspelt condition": condition_kinds.misspelt_condition,
    "inverted condition": condition_kinds.inverted_condition,
    "misspelt value of a condition": condition_kinds.wrong_literal,
    # The document
    "misspelt widget type": document_kinds.misspelt_type,
    "duplicate widget id": document_kinds.duplicate_widget_id,
    "duplicate operation id": document_kinds.duplicate_operation_id,
    "duplicate variable id": document_kinds.duplicate_variable_id,
    "missing widget id": document_kinds.missing_widget_id,
    "lost slot child": document_kinds.lost_child,
    "content in zones": document_kinds.content_in_zones,
    "blank tab label": document_kinds.blank_tab,
    "output never shown": document_kinds.output_never_shown,
    "missing input widget": document_kinds.missing_control,
    "required media without widget": document_kinds.missing_media,
    "missing trigger widget": document_kinds.missing_trigger,
    "missing option": document_kinds.removed_option,
    "undeclared variable": document_kinds.undeclared_variable,
    "removed operation": document_kinds.removed_operation,
    "renamed operation": document_kinds.renamed_operation,
    "misspelt resource": document_kinds.misspelt_resource,
    "undeclared resource": document_kinds.undeclared_resource,
    "unseeded resource": document_kinds.unseeded_resource,
    # Operations and mappings
    "dropped mapping": operation_kinds.dropped_mapping,
    "swapped input mapping": operation_kinds.swapped_input_mapping,
    "variable never written": operation_kinds.never_written_variable,
    "misspelt variable of a mapping": operation_kinds.misspelt_mapping_variable,
    "misspelt from or to": operation_kinds.misspelt_mapping_word,
    "misspelt port of a mapping": operation_kinds.mapping_of_stranger,
    "constant over a widget": operation_kinds.mapping_over_widget,
    "constant without a value": operation_kinds.empty_constant,
    "mapping of an unfilled variable": operation_kinds.mapped_to_unfilled_variable,
    "misspelt workflow": operation_kinds.missing_workflow,
    "operation without workflow": operation_kinds.operation_without_workflow,
    "swapped workflows": operation_kinds.wrong_workflow,
    "wrong policy text": operation_kinds.wrong_policy,
    # What operations run
    "node that raises": _any(graph_kinds.raising_node, function_kinds.raising),
    "node that returns empty": _any(graph_kinds.empty_node, function_kinds.returning_nothing),
    "node that returns an error text": _any(graph_kinds.error_text_node, function_kinds.returning_error),
    "timeout": _any(graph_kinds.slow_node, function_kinds.slow),
    "swapped outputs": _any(graph_kinds.swapped_outputs, function_kinds.swapped_results),
    "stale name after a node rename": graph_kinds.renamed_node,
    "broken edge": graph_kinds.broken_edge,
    "misspelt handle": graph_kinds.misspelt_handle,
    "missing handle": graph_kinds.missing_handle,
    "unknown node type": graph_kinds.unknown_node_type,
    "duplicate node id": graph_kinds.duplicate_node_id,
    "missing node id": graph_kinds.missing_node_id,
    "cycle in a graph": graph_kinds.cycle,
    "nodes that control each other": graph_kinds.control_cycle,
    "input fed by an edge": graph_kinds.fed_input,
    "bypassed output": graph_kinds.bypassed_output,
    "inputs with one name": graph_kinds.colliding_names,
    "wrong text in a node": graph_kinds.wrong_constant,
    **FUNCTIONS,
}
"""Faults in how an app, its graphs and its functions are written: name to the places of an app where one can be put."""

RUN_TIME: Final[dict[str, Kind]] = {
    # What comes in pieces
    "node that raises in a stream": stream_kinds.raising_late,
    "stream cut short": stream_kinds.cut_short,
    "stream without its first piece": stream_kinds.lost_piece,
    "last piece in place of the whole": stream_kinds.last_piece,
    "output that is never fed": stream_kinds.never_fed,
    "iteration over an empty list": stream_kinds.empty_list,
    "limit of a node reached": stream_kinds.limit_reached,
    "list with a failed branch": stream_kinds.join_with_failed_branch,
    "list with an untaken branch": stream_kinds.join_with_untaken_branch,
    # Graphs in graphs, functions as nodes
    "nested node that raises": nested_kinds.raising_inside,
    "nested run that is stopped": nested_kinds.stopped_inside,
    "nested node that returns empty": nested_kinds.empty_inside,
    "missing nested output": nested_kinds.missing_output_inside,
    "renamed nested input": nested_kinds.renamed_input_inside,
    "renamed nested output": nested_kinds.renamed_output_inside,
    "broken nested edge": nested_kinds.broken_edge_inside,
    "unknown nested node type": nested_kinds.unknown_type_inside,
    "empty nested graph": nested_kinds.emptied,
    "missing nested workflow": nested_kinds.missing_nested_workflow,
    "workflow that runs itself": nested_kinds.nested_in_itself,
    "function node that fails": nested_kinds.failing_function_node,
    "function node without its function": nested_kinds.missing_function_node,
    "misspelt function of a node": nested_kinds.misspelt_function_node,
    # Functions that want too much, or end the wrong way
    "function over its memory": limit_kinds.over_memory,
    "function over its processor time": limit_kinds.over_processor_time,
    "function over its processes": limit_kinds.over_processes,
    "function over its file size": limit_kinds.over_file_size,
    "function over its open files": limit_kinds.over_open_files,
    "function that exits": limit_kinds.exiting,
    "function that returns NaN": limit_kinds.not_a_number,
    "function with a result that is too large": limit_kinds.too_large,
    # The server that an app asks
    "server that fails": request_kinds.failing_server,
    "server that refuses": request_kinds.refusing_server,
    "server that hangs up": request_kinds.closing_server,
    "server that never answers": request_kinds.silent_server,
    "answer that is no JSON": request_kinds.not_json,
    "answer of another shape": request_kinds.other_shape,
    "request to a private address": request_kinds.private_address,
    # The models that an app asks
    **{name: partial(model_kinds.failing, kind=name) for name in model_kinds.FAILURES},
    "model provider that sends garbage": model_kinds.garbage,
    "model provider that hangs up": model_kinds.hanging_up,
    "missing key of a model provider": model_kinds.missing_key,
    "node without a usable model": model_kinds.unselected_model,
    "model that is too slow": model_kinds.slow_model,
    "model that says nothing": model_kinds.empty_answer,
    "model that answers with an error text": model_kinds.error_answer,
    "model answer of another shape": model_kinds.misshapen_answer,
    "model that calls an unknown tool": model_kinds.unknown_tool_called,
    "cost over the cap": permission_kinds.over_budget,
    "effect that is not permitted": permission_kinds.not_permitted,
    "prompt changed after recording": replay_kinds.other_prompt,
    "model changed after recording": replay_kinds.other_model,
    "node changed after recording": replay_kinds.other_setting,
    "lost recording": replay_kinds.lost_recording,
    "recorded answer of another shape": replay_kinds.other_recorded_answer,
    # Edits after the app was proved
    "function edited after proof": edit_kinds.function_edited,
    "imported module edited after proof": edit_kinds.imported_module_edited,
    "graph edited after proof": edit_kinds.graph_edited,
    "inputs reordered after proof": edit_kinds.inputs_reordered,
    "nested graph edited after proof": edit_kinds.nested_graph_edited,
    "document edited after proof": edit_kinds.document_edited,
}
"""Faults that show, or hide, when the app runs, and proofs that hold no more."""

KINDS: Final[dict[str, Kind]] = WRITTEN | RUN_TIME

COSTLY: Final = frozenset(
    {
        "function over its memory",
        "function over its processor time",
        "function over its processes",
        "function over its file size",
        "function over its open files",
        "function that exits",
        "function that returns NaN",
        "function with a result that is too large",
    }
)
"""Kinds that take long and mean the same in every app; they are tried in our own apps only."""

UNDETECTABLE: Final[dict[str, str]] = {
    "wrong policy text": "steps are taken one after the other, so a policy never comes to bear; check warns (GR104)",
    "wrong state of a run": "whether the right error shows is seen only when that run fails; check remarks (GR504)",
}
"""Kinds that no check and no script can see, with the reason; the report of every simulation says so too."""
