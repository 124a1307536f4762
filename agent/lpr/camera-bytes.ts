/** Counts the bytes that cameras occupy in memory, so that they are bounded for all cameras together and for each one. */
export interface CameraBytes {
  /** Whether so many more bytes are within the bound of the camera, and within that of all. */
  fits(camera: string, bytes: number): boolean;
  /** Whether so many more bytes are within the bound of the camera. */
  fitsCamera(camera: string, bytes: number): boolean;
  /** Adds bytes of a camera; a negative number takes them away. */
  add(camera: string, bytes: number): void;
  /** The bytes of all cameras. */
  total(): number;
}

export function createCameraBytes({
  bytesMax,
  bytesPerCameraMax,
}: {
  bytesMax: number;
  bytesPerCameraMax: number;
}): CameraBytes {
  let total = 0;
  /** Only cameras with bytes are in it. */
  const byCamera = new Map<string, number>();
  const bytesOf = (camera: string) => byCamera.get(camera) ?? 0;
  const fitsCamera = (camera: string, bytes: number) => bytesOf(camera) + bytes <= bytesPerCameraMax;
  return {
    fitsCamera,
    fits: (camera, bytes) => total + bytes <= bytesMax && fitsCamera(camera, bytes),
    add(camera, bytes) {
      total += bytes;
      const held = bytesOf(camera) + bytes;
      if (held === 0) byCamera.delete(camera);
      else byCamera.set(camera, held);
    },
    total: () => total,
  };
}
