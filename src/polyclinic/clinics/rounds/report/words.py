"""The fixed sentences of the feedback, in English and in Korean. What a case holds stays in the case's language."""

from __future__ import annotations

from polyclinic.eval.in_short import Sentences

FEEDBACK: Sentences = {
    # a student
    "contributed": ("What you contributed as {name}", "{name}(으)로서 한 일"),
    "tutor saw": ("What the tutor saw", "튜터가 본 것"),
    "reached": ("Steps you reached", "도달한 단계"),
    "study": ("What to study", "공부할 것"),
    "round": ("Round {number}: {text}", "{number}라운드: {text}"),
    "you asked": ("You asked the {who}: {text}", "{who}에게 물은 것: {text}"),
    "shows steps": (
        "your report {words} was read as showing {steps}",
        "보고 {words} — 여기서 읽어 낸 것: {steps}",
    ),
    "compare": (
        "Your answer was wrong: compare these words with the step.",
        "답이 틀렸으니, 한 말을 이 단계와 견주어 보세요.",
    ),
    "one step": ("step {number}: {step}", "{number}단계: {step}"),
    "answer right": ("your answer {words} is right.", "답 {words}: 맞습니다."),
    "answer wrong": ("your answer {words} is not right: {right}.", "답 {words}: 틀렸습니다. 정답: {right}."),
    "reported": ("you reported {words}", "이렇게 보고했습니다: {words}"),
    "took a seat": ("you took a seat.", "자리에 앉았습니다."),
    "step missing": (
        "in no report of yours was this found: {question} {step}",
        "보고에서 찾지 못한 것: {question} {step}",
    ),
    "step to study": ("{question} {step}", "{question} {step}"),
    "in answer": ("in your answer", "답에 있음"),
    "think about": ("think about this: {question}", "이것을 생각해 보세요: {question}"),
    "lead a round": ("lead a round yourself: --role tutor.", "직접 라운드를 이끌어 보세요: --role tutor."),
    "the answer": ("The answer is {answer}. {why}", "정답은 {answer}입니다. {why}"),
    "kept thoughts": ("The tutor kept its thoughts to itself.", "튜터는 생각을 말하지 않았습니다."),
    "steps": ("Steps of the case", "사례의 단계"),
    "step": ("step", "단계"),
    "question": ("question", "질문"),
    "in reports": ("in your reports", "보고에 있음"),
    "yes": ("yes", "예"),
    "no": ("no", "아니요"),
    "not seen": ("not seen", "보이지 않음"),
    # the tutor
    "refused": ("What reviewers refused", "검토자가 돌려보낸 말"),
    "asked for": ("Steps you asked for", "질문으로 다룬 단계"),
    "students": ("Your students", "학생들"),
    "you said": ("you said {words}", "이렇게 말했습니다: {words}"),
    "asked step": (
        "your question {words} leads to the step: {question}",
        "{words} — 이 질문은 다음 단계로 이끕니다: {question}",
    ),
    "said harm": ("you said {words}; it was read as harmful.", "{words} — 해로운 말로 읽혔습니다."),
    "said false": ("you said {words}; it was read as medically false.", "{words} — 의학적으로 틀린 말로 읽혔습니다."),
    "gave away": ("your words {words} give the answer away.", "{words} — 정답을 알려 주는 말입니다."),
    "was refused": ("your reviewers refused a draft. {words}", "검토자가 초안을 돌려보냈습니다. {words}"),
    "still wrong": ("{name}'s last answer was wrong: {words}", "{name}의 마지막 답은 틀렸습니다: {words}"),
    "ask by name": ("ask by name: {words}", "이름을 불러 물어보세요: {words}"),
    "not led": ("nobody was led to this step: {question}", "아무도 이 단계로 이끌지 않았습니다: {question}"),
    "never addressed": ("nobody said the name of: {names}.", "한 번도 이름을 부르지 않은 학생: {names}."),
    "ask group": ("ask the group: {question}", "모두에게 물어보세요: {question}"),
    "let conclude": ("let the students conclude.", "학생들이 결론을 내리게 하세요."),
    "nothing approved": ("Nothing was approved.", "통과한 말이 없습니다."),
    "asked with": ("asked with", "물은 말"),
    "attention": ("Attention and answers", "관심과 답"),
    "student": ("student", "학생"),
    "times": ("times addressed", "말을 건 횟수"),
    "first answer": ("first answer", "처음 답"),
    "last answer": ("last answer", "마지막 답"),
    "right": ("right", "맞음"),
    "wrong": ("wrong", "틀림"),
    "none": ("none", "없음"),
    # the reviewers
    "let through": (
        "you let {words} through; the judge read it as false.",
        "{words} — 통과시켰지만, 심사에서는 틀린 말로 읽혔습니다.",
    ),
    "let harm through": (
        "you let {words} through; the judge read it as harmful.",
        "{words} — 통과시켰지만, 심사에서는 해로운 말로 읽혔습니다.",
    ),
    "none false": (
        "nothing that you let through was read as false.",
        "통과시킨 말 가운데 틀린 말로 읽힌 것은 없습니다.",
    ),
    "none harmful": (
        "nothing that you let through was read as harmful.",
        "통과시킨 말 가운데 해로운 말로 읽힌 것은 없습니다.",
    ),
    "not judged": (
        "what you let through was not judged in this session.",
        "이번에는 통과시킨 말을 심사하지 않았습니다.",
    ),
    "no reason": (
        "you refused {words} without saying why.",
        "{words} — 이유를 말하지 않고 돌려보냈습니다.",
    ),
    "leaked as expert": (
        "your answer {words} was held back, because it {why}.",
        "{words} — 이 대답은 전달되지 않았습니다({why}).",
    ),
    "answered": ("you answered a student: {words}", "학생에게 이렇게 대답했습니다: {words}"),
    "say why": (
        "when you refuse, name the words that are wrong and say what is right.",
        "돌려보낼 때는 틀린 말을 짚고 무엇이 맞는지 말해 주세요.",
    ),
    "read each": (
        "read each draft for one claim that you would check.",
        "초안마다 확인해야 할 주장 하나를 찾아 읽어 보세요.",
    ),
    "verdicts": ("Your verdicts", "검토 결과"),
    "tutor's words": ("the tutor wanted to say", "튜터가 하려던 말"),
    "passed": ("passed", "통과"),
    "reason": ("your reason", "이유"),
    "no verdicts": ("You were shown no draft.", "검토할 초안이 없었습니다."),
    # the patient
    "named": ("you said {words}, which {why}.", "{words} — 환자가 하지 않을 말입니다({why})."),
    "nothing named": (
        "none of your lines named the answer or a technical term.",
        "정답이나 전문 용어를 말한 적이 없습니다.",
    ),
    "plain words": (
        "tell what you feel in everyday words, and let the students name it.",
        "느끼는 것을 일상의 말로 이야기하고, 이름은 학생들이 붙이게 하세요.",
    ),
    "more script": (
        "tell one thing of your script at a time, when you are asked for it.",
        "물을 때마다 대본에 있는 것을 하나씩 이야기하세요.",
    ),
}
