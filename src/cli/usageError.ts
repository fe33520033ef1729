/** The command line makes no sense. The message says why. */
export class UsageError extends Error {}
