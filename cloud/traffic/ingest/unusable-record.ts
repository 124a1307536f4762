/** Why a record can never be applied. */

/** The record can never be applied and becomes a dead letter. Thrown before anything is planned. */
export class UnusableRecord extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'UnusableRecord';
  }
}
