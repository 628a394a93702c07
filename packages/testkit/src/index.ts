export { ScriptedModel, type ScriptedAnswer, type ScriptedCall } from "./scripted-model.ts";
