/**
 * The SQL function that ends an interrupted statement. SQLite can be interrupted only from another thread or from a function that it
 * calls; its driver has only the latter. A call takes a fraction of a microsecond.
 */
export const MAY_CONTINUE = 'may_continue';

/** The code of an interrupted statement. */
export const INTERRUPTED = 'SQLITE_INTERRUPT';
