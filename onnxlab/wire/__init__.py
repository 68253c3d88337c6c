"""The contract with the TypeScript core."""
