/** The door of the equipment to other wings: gateways, brokers, cameras, sensors, places, displays, keys, products and commands. */
export type { Broker, UpMessage } from './broker/broker.js';
export { cameraConfigItem } from './camera/camera-config-payload.js';
export { addCameraCounts, type CameraCounts, dayIn, NO_COUNTS, pruneCameraDays } from './camera/camera-day-queries.js';
export { findReadingCameras, type ReadingCamera } from './camera/camera-queries.js';
export type { LotEntryCamera } from './camera/event-camera-payload.js';
export type { CommandDispatcher } from './command/command-dispatcher.js';
export { commandSchema, representCommand } from './command/command-payload.js';
export { duringReleaseValue } from './command/command-routes.js';
export { findCommandDetails } from './command/command-queries.js';
export type { AnsweredVehicle, Commands } from './command/commands.js';
export type { VehicleLetIn } from './command/command-steps.js';
export { displayConfigItem } from './display/display-config-payload.js';
export { isDisplayStale } from './display/decide-display-stale.js';
export { displaysOfGateway, rulesOfDisplays } from './display/display-queries.js';
export type { BootClocks } from './gateway/boot-clocks.js';
export { cloudKeyOf } from './gateway/cloud-key.js';
export { renewedCodeEnd } from './gateway/gateway-resource.js';
export { decideGatewaySlot, type GatewaySlot } from './gateway/decide-gateway-slot.js';
export type { GoneGateways, GoneReason } from './gateway/gone-gateways.js';
export {
  addHeldMessages,
  forgetUnhandled,
  type HeldMessages,
  saveUnhandled,
  unhandledChannels,
} from './gateway/gateway-health-queries.js';
export {
  claimedGateways,
  findGatewayByUuid,
  findGatewayName,
  type GatewayRow,
  lotsOfGateway,
  onlineGateways,
} from './gateway/gateway-queries.js';
export type { PresenceTracker } from './gateway/presence.js';
export { saveGatewaySlot } from './gateway/slot-revocation-queries.js';
export { deleteOpeningsOfReadings, insertOpenings, type NewOpening } from './opening/opening-queries.js';
export { denialOfToken, denyCredentials, invalidateTokensOfProduct, markKeyLogs } from './denial/denial-queries.js';
export { mintProductPairing } from './pairing/product-pairing.js';
export {
  lotDetectionChange,
  parkingGatewayStateChange,
  parkingPlaceChange,
  zoneChange,
} from './place/occupancy-payload.js';
export {
  findWatchedPlace,
  lotsOfPlaces,
  placesOfParkingGateways,
  saveDeletedPlaceOccupancy,
  savePlaceHeard,
  savePlaceOccupancy,
  wasWatchedBy,
  type WatchedPlace,
} from './place/place-queries.js';
export { PLACE_LIST } from './place/place-resource.js';
export { findProductDetails, type ProductDetails, productsByIds } from './product/product-detail-queries.js';
export { PRODUCT_ANSWER, representProduct } from './product/product-resource.js';
export { findProductPlaces, productIdsIn, type ProductPlace } from './product/product-queries.js';
export type { ProductReports } from './product/product-reports.js';
export { parkingGatewayConfigItem } from './sensor/parking-gateway-config-payload.js';
export {
  findDeletedParkingGateway,
  findParkingGateway,
  lotsOfParkingGateways,
  saveParkingGatewaySeen,
  saveParkingGatewayStatus,
  watchedParkingGateways,
} from './sensor/parking-gateway-queries.js';
export { BundleError, isVersion } from './release/bundle-manifest-parser.js';
export { isInRing, type RingedRelease } from './release/decide-wanted-releases.js';
export { readBundle } from './release/read-bundle.js';
export type { ReleaseFiles } from './release/release-files.js';
export type { ReleaseLinks } from './release/release-links.js';
export {
  deleteRelease,
  findAccountsNamed,
  findReleases,
  findReportingGateways,
  insertRelease,
  pauseRelease,
  type ReportingGateway,
  setRing,
} from './release/release-queries.js';
export { isForDevice, rollOutStateOf } from './release/decide-roll-out-state.js';
export { wantedUpdatesOf } from './release/wanted-updates.js';
