"""What PyInstaller cannot see: the compiled core imports this module."""

hiddenimports = ["_cffi_backend"]
