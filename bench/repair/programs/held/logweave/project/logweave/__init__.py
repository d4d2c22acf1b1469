from .merge import close, merge
from .records import LogError, Record, format_record, parse_line, parse_time, read_records
from .stages import at_least, fold_repeats, matching, pipeline, reorder, stage, take
from .counts import count_levels, counts_text, histogram

__all__ = [
    "LogError",
    "Record",
    "at_least",
    "close",
    "count_levels",
    "counts_text",
    "fold_repeats",
    "format_record",
    "histogram",
    "matching",
    "merge",
    "parse_line",
    "parse_time",
    "pipeline",
    "read_records",
    "reorder",
    "stage",
    "take",
]
