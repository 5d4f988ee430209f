"""HTTP clients of the lab's own, in processes of their own, where zeep is not what is measured."""
