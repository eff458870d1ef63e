import { byId } from "../dom";

const kMaxPoints = 120; // two per second: a minute
const kMinHeight = 0.25; // seconds that the full height spans at least, so that jitter looks small

/** The latency of the last minute as a line. */
export class Trail {
  private readonly canvas = byId<HTMLCanvasElement>("trail");
  private values: (number | undefined)[] = [];

  add(seconds: number | undefined): void {
    this.values.push(seconds);
    if (this.values.length > kMaxPoints) this.values.shift();
    this.draw();
  }

  clear(): void {
    this.values = [];
    this.draw();
  }

  private draw(): void {
    const { clientWidth, clientHeight } = this.canvas;
    const scale = devicePixelRatio;
    this.canvas.width = clientWidth * scale;
    this.canvas.height = clientHeight * scale;
    const context = this.canvas.getContext("2d");
    if (!context) return;
    context.scale(scale, scale);
    context.strokeStyle = getComputedStyle(this.canvas).color;
    context.lineWidth = 1.5;
    context.lineJoin = "round";
    this.line(context, clientWidth, clientHeight);
  }

  private line(context: CanvasRenderingContext2D, width: number, height: number): void {
    const top = Math.max(kMinHeight, ...this.values.map((value) => value ?? 0)) * 1.1;
    const first = kMaxPoints - this.values.length;
    context.beginPath();
    let drawing = false;
    this.values.forEach((value, i) => {
      if (value === undefined) return void (drawing = false);
      const x = ((first + i) / (kMaxPoints - 1)) * width;
      const y = height - 1 - (Math.max(0, value) / top) * (height - 2);
      if (drawing) context.lineTo(x, y);
      else context.moveTo(x, y);
      drawing = true;
    });
    context.stroke();
  }
}
