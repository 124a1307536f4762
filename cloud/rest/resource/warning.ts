/** A warning beside the data of an answer: the change was made, and is perhaps not meant. */
export interface Warning {
  /** `plate_taken` */
  code: string;
  message: string;
  /** As errors name it. */
  field: string;
}
