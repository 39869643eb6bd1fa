"""For people who collect forms: reports on data and model, what to ask next, completed tables."""
