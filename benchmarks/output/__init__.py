"""What is printed, drawn and written: tables, charts, documents, progress, and the description of the machine."""
