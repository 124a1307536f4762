/** Bad input: exit code 2. One problem per line: `file:line: path: reason`. */
export class SiteFileError extends Error {
  /** Of very many problems the first ones; the last line then says how many more there are. */
  readonly problems: string[];
  /** How many there are in all. */
  readonly count: number;

  constructor(problems: string[], count = problems.length) {
    super(problems.join('\n'));
    this.name = 'SiteFileError';
    this.problems = problems;
    this.count = count;
  }
}
