"""Morphological inflection with hard monotonic attention: lemma + features -> form.

The names in `__all__` are the public API and stay stable; everything else may change with any
version. They are imported when they are first used, so that `import stepwrite` costs nothing.
"""

TYPE_CHECKING = False  # what type checkers take for true, without the import of `typing`
if TYPE_CHECKING:
    from stepwrite.api import align as align
    from stepwrite.api import evaluate as evaluate
    from stepwrite.api import load as load
    from stepwrite.api import models as models
    from stepwrite.api import read as read
    from stepwrite.api import train as train
    from stepwrite.api import write as write
    from stepwrite.data.examples import Example as Example
    from stepwrite.errors import DataError as DataError
    from stepwrite.errors import FeatureError as FeatureError
    from stepwrite.errors import ModelError as ModelError
    from stepwrite.errors import StepwriteError as StepwriteError
    from stepwrite.errors import UnknownFeatureWarning as UnknownFeatureWarning
    from stepwrite.evaluation.report import Evaluation as Evaluation
    from stepwrite.inflector import Inflector as Inflector
    from stepwrite.morphology.paradigms import Paradigm as Paradigm
    from stepwrite.prediction import Alternative as Alternative
    from stepwrite.prediction import Prediction as Prediction
    from stepwrite.transducer.actions import Move as Move
    from stepwrite.transducer.alignment import Alignment as Alignment

__version__ = "0.2.0"
__all__ = [
    "Alignment",
    "Alternative",
    "DataError",
    "Evaluation",
    "Example",
    "FeatureError",
    "Inflector",
    "ModelError",
    "Move",
    "Paradigm",
    "Prediction",
    "StepwriteError",
    "UnknownFeatureWarning",
    "__version__",
    "align",
    "evaluate",
    "load",
    "models",
    "read",
    "train",
    "write",
]

_MODULES = {
    "Alignment": "transducer.alignment",
    "Alternative": "prediction",
    "DataError": "errors",
    "Evaluation": "evaluation.report",
    "Example": "data.examples",
    "FeatureError": "errors",
    "Inflector": "inflector",
    "ModelError": "errors",
    "Move": "transducer.actions",
    "Paradigm": "morphology.paradigms",
    "Prediction": "prediction",
    "StepwriteError": "errors",
    "UnknownFeatureWarning": "errors",
}  # the functions are in `api`


if not TYPE_CHECKING:  # which would take it for a promise of any name

    def __getattr__(name: str) -> object:
        """Import a public name when it is first used."""
        if name not in __all__:
            raise AttributeError(f"module 'stepwrite' has no attribute {name!r}")
        from importlib import import_module

        found: object = getattr(import_module(f"stepwrite.{_MODULES.get(name, 'api')}"), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
