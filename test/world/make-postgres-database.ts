/** Makes the database of a path on the tests' server. */
import { postgresFor } from './postgres-databases.js';

await postgresFor(process.argv[2] ?? '');
