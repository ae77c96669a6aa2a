"""What is true of an app: check, fixes, simulation, verdict, report. A host hands in loaders and a runner."""
