"""The fixed sentences of the feedback, in English and in Korean. What a record holds stays in the record's language."""

from __future__ import annotations

from polyclinic.eval.in_short import Sentences

FEEDBACK: Sentences = {
    # the doctor
    "you found out": ("What you found out", "알아낸 것"),
    "red flags": ("Red flags", "놓치면 안 되는 신호"),
    "how you asked": ("How you asked", "질문한 방식"),
    "unfair": ("Questions a patient cannot answer", "환자가 답할 수 없는 질문"),
    "where it led": ("Where it led", "결론"),
    "brought out": (
        "you brought out “{fact}” with your question {question}",
        "{question}라는 질문으로 “{fact}”을(를) 알아냈습니다.",
    ),
    "is right": ("{diagnosis} is right.", "{diagnosis}: 맞습니다."),
    "overlooks": (
        "{diagnosis} overlooks it. {right} cannot wait.",
        "{diagnosis}: 놓쳤습니다. {right}: 미룰 수 없습니다.",
    ),
    "not committed": (
        "you named it but did not commit: {diagnosis}. The record says: {right}.",
        "맞는 진단을 말했지만 하나로 정하지 않았습니다: {diagnosis}. 기록: {right}.",
    ),
    "broader": (
        "{diagnosis} is broader than the record's diagnosis: {right}. Say which it is.",
        "{diagnosis}: 기록의 진단보다 넓은 말입니다. 기록: {right}. 무엇인지 더 좁혀 보세요.",
    ),
    "no conclusion": (
        "you came to no conclusion. {right} cannot wait.",
        "결론을 내리지 않았습니다. {right}: 미룰 수 없습니다.",
    ),
    "nobody heard": ("nobody heard “{fact}”", "듣지 못한 것: “{fact}”"),
    "send for": ("order this test before you conclude: {test}.", "결론을 내리기 전에 이 검사를 요청하세요: {test}."),
    "other case": ("take a case of another discipline.", "다른 진료과의 사례를 해 보세요."),
    "ask about": ("ask about {topic} before you conclude.", "결론을 내리기 전에 물어보세요: {topic}."),
    "ask complaint": ("what the trouble is", "어디가 불편한지"),
    "ask symptom": ("other symptoms", "다른 증상"),
    "ask history": ("earlier illnesses", "예전에 앓은 병"),
    "ask medication": ("medicines", "먹는 약"),
    "ask family": ("the family", "가족"),
    "ask social": ("work and home", "일과 생활"),
    "ask allergy": ("allergies", "알레르기"),
    "ask habits": ("habits", "생활 습관"),
    "ask mood": ("mood", "기분"),
    "ask prevention": ("prevention", "예방"),
    "ask background": ("background", "배경"),
    "ask result": ("results", "결과"),
    "facts": ("You brought out {found} of {all} facts.", "{all}가지 가운데 {found}가지를 알아냈습니다."),
    "elicited": ("Elicited", "알아낸 것"),
    "missed": ("Missed", "놓친 것"),
    "about": ("about", "주제"),
    "fact": ("fact", "내용"),
    "patient's words": ("the patient's words", "환자의 말"),
    "no flags": ("This case has none.", "이 사례에는 없습니다."),
    "all flags": ("You found all of them.", "모두 찾았습니다."),
    "missed flags": ("You missed {missed} of {all}.", "{all}가지 가운데 {missed}가지를 놓쳤습니다."),
    "signs": ("Signs that must not be missed", "놓치면 안 되는 신호"),
    "sign": ("sign", "신호"),
    "found": ("found", "찾음"),
    "no fair": ("You asked no fair question.", "환자가 답할 수 있는 질문을 하지 않았습니다."),
    "fair": ("{fair} fair questions: {shares}.", "환자가 답할 수 있는 질문 {fair}개: {shares}."),
    "specificity": ("specificity", "구체성"),
    "professionalism": ("professionalism", "전문성"),
    "targetedness": ("targetedness", "겨냥"),
    "share": ("{name} {count} of {all}", "{name} {all}개 중 {count}개"),
    "your questions": ("Your questions", "질문"),
    "question": ("question", "질문"),
    "type": ("type", "종류"),
    "no tricks": ("You asked none.", "그런 질문은 하지 않았습니다."),
    "tricks": ("Questions that fish for too much", "지나치게 캐묻는 질문"),
    "next time": (
        "Ask for one thing at a time, for symptoms rather than for the diagnosis, and for a test by its name.",
        "한 번에 하나씩, 진단보다 증상을 묻고, 검사는 이름으로 요청하세요.",
    ),
    "right": ("Your diagnosis: {given}. That is right.", "진단: {given}. 맞습니다."),
    "wrong": (
        "Your diagnosis: {given}. The record says: {right}.",
        "진단: {given}. 기록에는 이렇게 되어 있습니다: {right}.",
    ),
    "none given": (
        "You gave no diagnosis. The record says: {right}.",
        "진단을 내리지 않았습니다. 기록에는 이렇게 되어 있습니다: {right}.",
    ),
    "reasoning": ("Your reasoning: {words}", "이렇게 설명했습니다: {words}"),
    "pointing": ("Findings that point to it", "진단을 가리키는 소견"),
    "finding": ("finding", "소견"),
    "had it": ("you had it", "알고 있었음"),
    "crisis met": ("You answered the patient's crisis at once.", "환자가 위급하다고 했을 때 바로 답했습니다."),
    "crisis missed": ("The patient's crisis went unanswered.", "환자가 위급하다고 했는데 답하지 않았습니다."),
    # the patient
    "playing": ("How you played the patient", "환자 역할"),
    "asked nothing": ("You were asked nothing.", "질문을 받지 않았습니다."),
    "standard": (
        "{good} of {all} answers were what a standardized patient would say.",
        "대답 {all}개 가운데 {good}개가 표준화 환자의 대답과 같았습니다.",
    ),
    "your answers": ("Your answers", "대답"),
    "answer": ("answer", "대답"),
    "given away": ("given away", "드러낸 것"),
    "in part": (
        "{words} kept to the record and to the part.",
        "{words} — 기록과 역할에 맞는 대답입니다.",
    ),
    "gave away": ("{words} gave this away: {what}.", "{words} — 드러내면 안 되는 것을 말했습니다: {what}."),
    "not in part": (
        "{words}, when asked {question}, {fault}.",
        "{question}라는 질문에 {words}: {fault}.",
    ),
    "off the record": (
        "is not what the record lets this patient say",
        "기록에 맞는 대답이 아닙니다",
    ),
    "too much": (
        "says more than was asked for",
        "물은 것보다 많이 말했습니다",
    ),
    "only asked": (
        "answer only what was asked, in a patient's words, from the record.",
        "물은 것만, 환자의 말로, 기록에 있는 대로 대답해 보세요.",
    ),
    "go on so": ("try a case with more that must stay hidden.", "숨겨야 할 것이 더 많은 사례를 해 보세요."),
    # triage
    "triaged right": (
        "you sent the patient to {discipline}; the record says the same.",
        "기록과 같은 과로 보냈습니다: {discipline}.",
    ),
    "triaged wrong": (
        "you sent the patient to {discipline}; the record says {right}.",
        "보낸 과와 기록에 있는 과가 다릅니다: {discipline}, {right}.",
    ),
    "triaged unknown": (
        "{discipline} is not one of this hospital's disciplines.",
        "{discipline}: 이 병원에 없는 진료과입니다.",
    ),
    "not triaged": ("the patient was not sent anywhere.", "환자를 어느 과로도 보내지 않았습니다."),
    "triage complaint": ("You had read: {words}", "읽은 말: {words}"),
    "triage next": (
        "name the sign in the complaint that decides, then choose.",
        "호소 가운데 결정적인 신호를 먼저 짚고 나서 고르세요.",
    ),
    "triage case": ("What you had to decide from", "판단의 근거"),
    # vagueness
    "blurred": ("What you made vague", "흐리게 한 내용"),
    "record line": ("in the record", "기록"),
    "left of it": ("What was left of it", "남은 내용"),
    "still exact": (
        "“{line}” is still as exact as in the record.",
        "“{line}” — 기록에 있는 그대로입니다.",
    ),
    "nothing left": ("nothing of the complaint was left.", "호소할 내용이 남지 않았습니다."),
    "blur next": (
        "leave out numbers, dates and results; keep what a patient would remember.",
        "숫자, 날짜, 결과는 빼고 환자가 기억할 만한 것만 남기세요.",
    ),
    # the scribe
    "summaries": ("Your summaries", "요약"),
    "takes up": (
        "{words} takes up {kept} of the patient's {all} answers so far, in {long} of {limit} characters.",
        "{words} — 그때까지 환자의 대답 {all}개 가운데 {kept}개를 담았고, {limit}자 가운데 {long}자입니다.",
    ),
    "says nothing": (
        "{words} says nothing of what the patient told.",
        "{words} — 환자가 한 말이 들어 있지 않습니다.",
    ),
    "too long": (
        "{words} has {long} characters, but only {limit} are allowed.",
        "{words} — {long}자로, {limit}자를 넘었습니다.",
    ),
    "no summary": ("Nothing had to be summed up.", "요약할 것이 없었습니다."),
    "scribe next": (
        "keep what was asked, what was answered and what is still open.",
        "물은 것, 대답한 것, 아직 남은 것을 적으세요.",
    ),
    # the cheater, who tries to trick the patient
    "your tricks": ("Your questions and the answers", "질문과 대답"),
    "trick worked": (
        "your question {question} made the patient give this away: {what}.",
        "{question} — 이 질문에 환자가 드러냈습니다: {what}.",
    ),
    "trick failed": (
        "the patient gave nothing away to {question}",
        "{question} — 환자는 아무것도 드러내지 않았습니다.",
    ),
    "no trick": (
        "{question} was read as a fair question.",
        "{question} — 보통의 질문으로 읽혔습니다.",
    ),
    "trick next": (
        "ask for what the patient must not give, and name it: the diagnosis, a result, the whole course.",
        "환자가 주면 안 되는 것을 이름을 대고 물어보세요: 진단, 결과, 전체 경과.",
    ),
}
