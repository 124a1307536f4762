/**
 * Names statements that come again and again, so that the server parses and plans each once for a connection. Only some are named, because
 * the server keeps a plan for each of them and each connection.
 */

export interface PreparedStatements {
  /** @returns the name under which the connection prepares the text; undefined: it is not prepared */
  nameOf(sql: string): string | undefined;
}

const NAMES_MAX = 100;
/** The plan of a longer text, such as one that inserts hundreds of rows, is too large to be kept. */
const TEXT_MAX = 8 * 1024;
/** A text is named when it comes so often. */
const OFTEN = 5;
/** Of more texts it is not known any more how often they came. */
const COUNTED_MAX = 2_000;

export function createPreparedStatements(): PreparedStatements {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  return {
    nameOf(sql) {
      const known = names.get(sql);
      if (known !== undefined || names.size === NAMES_MAX || sql.length > TEXT_MAX) return known;
      const count = (counts.get(sql) ?? 0) + 1;
      if (count < OFTEN) {
        if (counts.size === COUNTED_MAX) counts.clear();
        counts.set(sql, count);
        return undefined;
      }
      counts.delete(sql);
      const name = `statement_${names.size}`;
      names.set(sql, name);
      return name;
    },
  };
}
