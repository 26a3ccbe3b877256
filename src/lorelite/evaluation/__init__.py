"""Evaluation: how much of the evidence of a question is found, on questions of your own or on public benchmarks."""

from lorelite.evaluation.benchmarks import DATASETS, load_dataset
from lorelite.evaluation.comparison import Comparison, Difference, compare
from lorelite.evaluation.dataset import Dataset, Part, Passage
from lorelite.evaluation.measure import ask_all, take_in
from lorelite.evaluation.questions import Question
from lorelite.evaluation.result import Evaluation, Latency, Outcome

__all__ = [
    "DATASETS",
    "Comparison",
    "Dataset",
    "Difference",
    "Evaluation",
    "Latency",
    "Outcome",
    "Part",
    "Passage",
    "Question",
    "ask_all",
    "compare",
    "load_dataset",
    "take_in",
]
