export { generateCard } from "./skeleton.ts";
