<<<<<<< HEAD:src/polyclinic/web/static/assets/style-DiezzSFp.js
import{ai as t,aj as u}from"./index-ZqOQAlI0.js";function s(r,o={},f,i){for(var a in f){var p=f[a];o[a]!==p&&(f[a]==null?r.style.removeProperty(a):r.style.setProperty(a,p,i))}}function c(r,o,f,i){var a=r[t];if(a!==o){var p=u(o,i);p==null?r.removeAttribute("style"):r.style.cssText=p,r[t]=o}else i&&(Array.isArray(i)?(s(r,f?.[0],i[0]),s(r,f?.[1],i[1],"important")):s(r,f,i));return i}export{c as s};
=======
<<<<<<<< HEAD:src/polyclinic/web/static/assets/style-hchMzzOL.js
import{ah as t,ai as u}from"./index-i8tn37q8.js";function s(r,o={},f,i){for(var a in f){var p=f[a];o[a]!==p&&(f[a]==null?r.style.removeProperty(a):r.style.setProperty(a,p,i))}}function c(r,o,f,i){var a=r[t];if(a!==o){var p=u(o,i);p==null?r.removeAttribute("style"):r.style.cssText=p,r[t]=o}else i&&(Array.isArray(i)?(s(r,f?.[0],i[0]),s(r,f?.[1],i[1],"important")):s(r,f,i));return i}export{c as s};
========
import{aj as t,ak as u}from"./index-DE_4IfFf.js";function s(r,o={},f,i){for(var a in f){var p=f[a];o[a]!==p&&(f[a]==null?r.style.removeProperty(a):r.style.setProperty(a,p,i))}}function c(r,o,f,i){var a=r[t];if(a!==o){var p=u(o,i);p==null?r.removeAttribute("style"):r.style.cssText=p,r[t]=o}else i&&(Array.isArray(i)?(s(r,f?.[0],i[0]),s(r,f?.[1],i[1],"important")):s(r,f,i));return i}export{c as s};
>>>>>>>> d78a0c4d (Class and Rate in the browser: classes with a code, hints and results; blinded rating to agreement figures):src/polyclinic/web/static/assets/style-BLsVRlX6.js
>>>>>>> 675a1311 (Class and Rate in the browser: classes with a code, hints and results; blinded rating to agreement figures):src/polyclinic/web/static/assets/style-hchMzzOL.js
