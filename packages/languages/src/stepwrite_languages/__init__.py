"""Models of languages for stepwrite, which finds them by an entry point; there is no code here."""

from pathlib import Path

MODELS = Path(__file__).parent / "models"
