"""The dialect to TVM Relax. May not import the importer, nor read what it does not write on the module."""
