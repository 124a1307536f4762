import type { CarParkParkingGateway, CarParkPlace } from '../car-park.js';

/** A place as the control interface shows it. */
export interface PlaceView {
  name: string;
  lot: string;
  parking_gateway: string;
  sensor: string;
  occupied: boolean;
  silent: boolean;
}

/** A place of the car park, with or without a vehicle on it. */
export interface SimPlace {
  view(): PlaceView;
  change(change: { occupied?: boolean | undefined; silent?: boolean | undefined }): void;
  /** Calls the listener after each change. */
  onChange(listener: () => void): void;
}

/** Creates a free place with a sensor that measures. */
export function createPlace(place: CarParkPlace, { lot, name }: Pick<CarParkParkingGateway, 'lot' | 'name'>): SimPlace {
  let occupied = false;
  let silent = false;
  const listeners: (() => void)[] = [];
  return {
    view: () => ({ name: place.name, lot, parking_gateway: name, sensor: place.sensor, occupied, silent }),
    change(change) {
      occupied = change.occupied ?? occupied;
      silent = change.silent ?? silent;
      for (const listener of listeners) listener();
    },
    onChange: (listener) => void listeners.push(listener),
  };
}
