// Packing: samples into rows of at most `rowTokens`, few rows, little padding. Pure; engines use it, the trainer does not.
