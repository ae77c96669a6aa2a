"""What an app is: document, bindings, conditions, templates, widget catalog, edits, bundles, ids. Pure: no I/O."""
