/** A problem with a field. */

export interface Problem {
  /** `end_time`, `windows.1.price` */
  field: string;
  /** In lower case. */
  reason: string;
}
