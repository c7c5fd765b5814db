"""The parts of sar_image.py that move nothing between processes; examples/sar_image/README.md has the formulae."""
