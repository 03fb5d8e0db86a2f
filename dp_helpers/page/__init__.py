"""What a page needs: the style of its figures, figures under sliders for three venues, drawings of mechanisms."""
