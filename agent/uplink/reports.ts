/** Sends reports to the cloud: one at a time of each kind, and of those that wait only the latest. Answers are sent one after the other. */
import { REPORTED_MAX } from '../../shared/uplink-bounds.js';
import type { GatewayReport } from '../../shared/uplink-reports.js';

const KINDS = ['cameras', 'parking_gateways', 'displays', 'health', 'doctor'] as const;

/** @param send sends one message; settles when the next may follow */
export function createReports(send: (report: GatewayReport) => Promise<void>) {
  async function sendParts(report: GatewayReport): Promise<void> {
    for (const part of partsOfReport(report)) await send(part);
  }
  // A report of one kind must not replace a waiting report of another.
  const slots = {
    products: createSlot(sendParts),
    cameras: createSlot(sendParts),
    parking_gateways: createSlot(sendParts),
    displays: createSlot(sendParts),
    health: createSlot(sendParts),
    doctor: createSlot(sendParts),
  };
  let answers: Promise<void> = Promise.resolve();
  return {
    /** Sends the report, or keeps it in place of the one of its kind that waits. */
    publish(report: GatewayReport): void {
      if (report.answer !== undefined) {
        // Each is of another ask. How many there are at once is bounded by who answers.
        answers = answers.then(() => send(report)).catch(() => undefined);
        return;
      }
      const kind = KINDS.find((each) => report[each] !== undefined) ?? 'products';
      slots[kind](report);
    },
  };
}

function createSlot(send: (report: GatewayReport) => Promise<void>): (report: GatewayReport) => void {
  let isBusy = false;
  let latest: GatewayReport | null = null;
  async function sendAll(): Promise<void> {
    isBusy = true;
    while (latest !== null) {
      const report = latest;
      latest = null;
      // A report that did not arrive is not logged: the next one follows.
      await send(report).catch(() => undefined);
    }
    isBusy = false;
  }
  return (report) => {
    latest = report;
    if (!isBusy) void sendAll();
  };
}

/** Splits a report that is longer than the cloud reads at once. Nearly always there is one part. */
export function partsOfReport(report: GatewayReport): GatewayReport[] {
  const { products, cameras, parking_gateways, silent_sensors, displays, health, doctor } = report;
  const lists = [products, cameras, parking_gateways, silent_sensors, displays];
  const longest = Math.max(...lists.map((list) => list?.length ?? 0));
  if (longest <= REPORTED_MAX) return [report];
  const parts: GatewayReport[] = [];
  for (let from = 0; from < longest; from += REPORTED_MAX) {
    const part = <T>(list: T[]): T[] => list.slice(from, from + REPORTED_MAX);
    parts.push({
      products: part(products),
      ...(cameras === undefined ? {} : { cameras: part(cameras) }),
      ...(parking_gateways === undefined ? {} : { parking_gateways: part(parking_gateways) }),
      ...(silent_sensors === undefined ? {} : { silent_sensors: part(silent_sensors) }),
      ...(health === undefined || from > 0 ? {} : { health }),
      ...(doctor === undefined || from > 0 ? {} : { doctor }),
      ...(displays === undefined ? {} : { displays: part(displays) }),
    });
  }
  return parts;
}
