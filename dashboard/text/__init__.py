"""Figures and names as text, for records, findings and pages."""
