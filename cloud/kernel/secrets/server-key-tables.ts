/** Which server key the database belongs to. One row. */
interface ServerKeysTable {
  id: number;
  /** What only this key gives, and from which nobody finds the key. */
  check_value: string;
  created_at: number;
}

declare module '../store/schema.js' {
  interface Database {
    server_keys: ServerKeysTable;
  }
}
