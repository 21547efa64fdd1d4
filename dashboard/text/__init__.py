"""Figures and names as text: used by records, findings and pages alike."""
