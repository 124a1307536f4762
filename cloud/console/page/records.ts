/** The service's records that several views show. */
import type { components } from '@parking-gateway/client';

type Schemas = components['schemas'];
export type Product = Schemas['Product'];
export type Reading = Schemas['PlateReading'];
export type Session = Schemas['Session'];
export type Gateway = Schemas['Gateway'];
export type Camera = Schemas['LprCamera'];
export type Lot = Schemas['Lot'];
export type ParkingGateway = Schemas['ParkingGateway'];
export type Place = Schemas['ParkingPlace'];
export type Zone = Schemas['Zone'];
export type Health = Schemas['GatewayHealth'];
export type Sighting = Schemas['Sighting'];
export type Opening = Schemas['Opening'];
