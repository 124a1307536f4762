import { Gauge, type Registry } from 'prom-client';

/**
 * Adds a measurement that is read when somebody asks for it.
 * @param options.name begins with `parking_`, and ends with its unit: `_seconds`, `_bytes`; a number of things has none
 * @param options.help what it says, for people
 * @param options.read null: it is not known now, and no value is shown
 */
export function addGauge(
  registry: Registry,
  options: { name: string; help: string; read(): number | null | Promise<number | null> },
): void {
  const { name, help, read } = options;
  const gauge = new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const value = await read();
      if (value === null) gauge.remove();
      else gauge.set(value);
    },
  });
}
